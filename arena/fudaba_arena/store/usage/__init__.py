"""What the seats of a match used: time, processors, credit for the network."""
