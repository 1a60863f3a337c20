"""`fudaba doctor installation`: what may hurt a running installation, each with what to do."""
