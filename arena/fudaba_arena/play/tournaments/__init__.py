"""Plays one tournament: begins it, runs it to its end, follows it and deletes it."""
