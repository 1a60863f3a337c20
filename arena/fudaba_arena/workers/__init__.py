"""The worker: it takes blocks from the queue and plays them, wherever it runs."""
