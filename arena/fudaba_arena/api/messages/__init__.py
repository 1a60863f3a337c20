"""The arena's answers as messages of the contract."""
