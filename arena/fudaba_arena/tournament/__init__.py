"""A tournament file becomes a definition; every mistake in it is told by its line."""
