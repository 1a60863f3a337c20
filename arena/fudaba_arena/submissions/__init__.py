"""Handles submissions before any of them is run: `stages.py` takes an archive or a source file through the first stage.

`formats.py` reads archives, `members.py` says what may be in one, `unpacking.py` writes it, `manifest.py` reads its
`bot.toml`, and `contents.py` keeps what was submitted, by its hash.
"""
