"""The arena's gRPC front: tells everybody how tournaments stand, and takes the organiser's word for them."""
