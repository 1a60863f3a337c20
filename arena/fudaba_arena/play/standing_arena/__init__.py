"""The tournaments of a standing arena, all that it hosts."""
