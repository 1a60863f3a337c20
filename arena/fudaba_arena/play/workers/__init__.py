"""The arena's view of its workers, and the queue through which they receive blocks."""
