"""Turns a definition and its stored state into blocks: who plays whom on which deals, and which match is next."""
