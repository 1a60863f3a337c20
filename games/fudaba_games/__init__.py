"""The rules of Fudaba's games: pure functions of state."""
