"""How a serving process deals with its machine: locks, memory, open files, metrics and the event loop."""
