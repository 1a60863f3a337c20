"""The workers of an arena, and their runtimes."""
