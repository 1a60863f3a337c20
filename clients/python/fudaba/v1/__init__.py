"""The messages and stubs of the contract: generated from proto/fudaba/v1 by scripts/generate, but for this file."""
