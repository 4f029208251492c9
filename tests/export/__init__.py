"""Tests that need torch: run them in the export environment, see CONTRIBUTING."""
