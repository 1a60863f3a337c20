"""The arena's gRPC API. It shows everybody how tournaments stand, and carries out the organiser's changes."""
