"""The game's part of the kit. In the checkout each of these modules stands among those of the other games."""
