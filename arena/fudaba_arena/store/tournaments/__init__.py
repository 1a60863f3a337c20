"""A tournament as it is stored: who plays it, its rounds or chosen blocks, its entries, its archive."""
