"""Measurements, each beside a yardstick in the same run."""
