"""The use of a match's seats: time, processors, credit for the network."""
