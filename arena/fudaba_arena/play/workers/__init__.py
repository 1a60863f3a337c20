"""What the arena knows of its workers, and the queue by which it tells them of blocks."""
