"""Puts the decisions of a recorded match to a bot again, on a private server that speaks the contract's Play."""
