"""Runs several processes as one service: they share a port and a store, and are started again when they die."""
