"""The parts that only servers need: a layer between the kit for authors and the service, the arena and the gateway."""
