"""What submitted bots leave behind: what they printed, and the folders that they keep."""
