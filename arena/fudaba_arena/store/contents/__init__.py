"""The uses of stored contents."""
