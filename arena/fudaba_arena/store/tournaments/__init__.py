"""A tournament in the store: its player, its rounds or chosen blocks, its entries, its archive."""
