"""Storages for finished things: files by name, in a folder or at a URL."""
