"""`fudaba arena`: its commands and their output."""
