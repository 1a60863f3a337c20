"""The open challenges of a standing arena: when and how each is played."""
