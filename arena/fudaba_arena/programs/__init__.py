"""Submitted bots as programs: their runtimes, files and builds, and their processes in sandboxes.

`runtimes.py` says what this host can run, `folders.py` prepares a program's files, `building.py` builds them,
`seats.py` runs a program in one seat of one match, and `trials.py` takes a submission through the stages that run it.
"""
