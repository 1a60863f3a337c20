"""`python -m fudaba`: the command line, if no script is on PATH."""

from fudaba.cli import main

if __name__ == "__main__":
    main()
