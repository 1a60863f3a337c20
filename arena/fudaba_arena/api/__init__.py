"""The arena's gRPC API: tells everybody how tournaments stand, and takes the organiser's word for them."""
