"""Names that strangers choose."""
