"""The arena's dealings with the service: its calls, the bots it registers, and whether it is the right service."""
