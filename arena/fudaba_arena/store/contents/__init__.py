"""Who needs which of the contents that are kept."""
