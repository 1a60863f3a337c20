"""The bots that the arena starts itself, each version a process."""
