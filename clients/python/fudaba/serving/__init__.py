"""What a server of the contract needs, be it the service or the arena; with the extras of either."""
