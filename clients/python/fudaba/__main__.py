"""`python -m fudaba`: the command line, for where no script is on PATH."""

from fudaba.cli import main

if __name__ == "__main__":
    main()
