"""Runs several processes as one service: they share a port and a store, and are restarted when they die."""
