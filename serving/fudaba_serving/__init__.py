"""What only servers need: the floor between the kit for authors and the service, the arena and the gateway."""
