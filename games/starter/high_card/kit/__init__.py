"""The game's part of the kit. In the checkout each of these stands among those of the other games."""
