"""Challenges: who asked for what, and how each ended."""
