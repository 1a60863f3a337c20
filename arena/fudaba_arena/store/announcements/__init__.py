"""The stored news of an arena."""
