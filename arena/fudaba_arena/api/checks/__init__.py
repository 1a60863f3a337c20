"""What requests name is found, and what may not be is refused."""
