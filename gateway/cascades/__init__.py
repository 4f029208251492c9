"""Cascades: named steps over the four services, written as YAML."""
