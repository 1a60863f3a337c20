"""What a season of a ladder needs to be played: its entries, and which of their bots are here."""
