"""The traces of submitted bots: their output, and the folders that they keep."""
