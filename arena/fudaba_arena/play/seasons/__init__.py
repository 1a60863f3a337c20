"""The play of a ladder's season: its entries, and which of their bots are here."""
