"""What the arena tells, as the contract's messages."""
