"""Builds the site of the documentation. Run by `scripts/site`."""
