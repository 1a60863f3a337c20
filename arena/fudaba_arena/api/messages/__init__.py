"""The arena's answers, as the contract's messages."""
