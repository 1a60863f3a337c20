"""The stored challenges: the account that asked, the bots and games, and the outcome of each."""
