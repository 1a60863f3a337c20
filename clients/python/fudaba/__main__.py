"""Runs the command line as `python -m fudaba`, for machines without a script on PATH."""

from fudaba.cli import main

if __name__ == "__main__":
    main()
