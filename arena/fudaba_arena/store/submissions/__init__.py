"""Submissions, the leases of their checks, and what the builds of an account use."""
