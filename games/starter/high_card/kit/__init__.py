"""What the kit has of the game. In the checkout each of these stands among those of the other games."""
