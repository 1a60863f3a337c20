"""What a process that serves has to do with its machine: locks, memory, open files, metrics, its event loop."""
