"""Accounts and tokens: accounts of authors, bots and their versions, tokens and their owners."""
