"""Plays a ladder's season: its entries, and the presence of their bots."""
