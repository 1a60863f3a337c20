"""Handles submissions before anything of them runs: `stages.py` takes an archive or a source file through the first
stage.

`formats.py` reads archives, `members.py` says what an archive may contain, `unpacking.py` writes it, `manifest.py`
reads its `bot.toml`, and `contents.py` stores what was submitted, by hash.
"""
