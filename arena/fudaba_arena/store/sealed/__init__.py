"""What is derived from stored lists and kept beside them, so that they are read in a moment."""
