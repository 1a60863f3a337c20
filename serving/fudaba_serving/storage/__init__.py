"""Where finished things are kept: files by name, in a folder or at a URL."""
