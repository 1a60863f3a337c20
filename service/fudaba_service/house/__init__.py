"""House bots: opponents that the service itself plays, in matches that count for no rating."""
