"""The results that count become ratings, and ratings become standings."""
