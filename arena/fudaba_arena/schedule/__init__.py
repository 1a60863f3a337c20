"""A definition, with what is stored of it, becomes blocks: who plays whom on which deals, and which match is next."""
