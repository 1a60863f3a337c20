"""Objects by which two programs of one host might tell each other bits, and the programs that try each."""
