"""The uses of kept contents."""
