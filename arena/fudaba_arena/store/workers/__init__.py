"""The workers of an arena, and the runtimes that they have."""
