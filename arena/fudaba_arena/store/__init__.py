"""What an arena keeps: its data folder, and in Redis each result once."""
