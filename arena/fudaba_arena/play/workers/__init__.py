"""The arena's view of its workers, and the queue by which they hear of blocks."""
