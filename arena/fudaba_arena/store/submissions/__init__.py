"""Submissions, the leases of their checks, and the use of accounts' build quotas."""
