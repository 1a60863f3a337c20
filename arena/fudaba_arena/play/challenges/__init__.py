"""The open challenges of a standing arena: which is played when, and how."""
