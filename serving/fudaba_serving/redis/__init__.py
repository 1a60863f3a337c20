"""Connections to a Redis, and the embedded server for machines without one."""
