"""`fudaba arena`: what people type, and what they are shown."""
