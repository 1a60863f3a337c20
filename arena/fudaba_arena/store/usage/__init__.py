"""The use of a match's seats: time, processors, network credit."""
