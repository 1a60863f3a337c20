"""The metrics of a process of the service."""
