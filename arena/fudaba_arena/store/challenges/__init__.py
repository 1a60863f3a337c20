"""The stored challenges: the account that asked, the bots and the game, and the outcome of each."""
