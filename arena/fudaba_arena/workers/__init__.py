"""What a worker does: it takes blocks from the queue and plays them, wherever it runs."""
