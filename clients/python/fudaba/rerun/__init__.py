"""Puts the decisions of a recorded match to a bot again, on a server of its own that speaks the contract's Play."""
