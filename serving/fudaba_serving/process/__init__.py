"""A serving process and its machine: locks, memory, open files, metrics and the event loop."""
