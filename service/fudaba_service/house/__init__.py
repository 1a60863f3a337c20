"""House bots: opponents that the service itself plays, in unrated matches."""
