"""The methods of ArenaService, in one part for each subject."""
