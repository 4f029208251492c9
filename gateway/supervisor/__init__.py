"""Runs the whole house on one machine as child processes."""
