"""The traces of submitted bots: what they printed, and the folders that they keep."""
