"""One tournament is played: begun, run to its end, followed and deleted."""
