"""The matches of blocks. An executor plays them, in this process or on workers, and stores each result once."""
