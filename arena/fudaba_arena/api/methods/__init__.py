"""The methods of ArenaService, a part for each kind of thing."""
