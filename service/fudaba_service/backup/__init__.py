"""Backups of a data folder, the service's or the arena's, made while it is in use.

A backup is one file, a zstd-compressed tar, which standard tools read too:

```
backup.json          what it is: see `Header`
data/store/…         the embedded store's append-only file, as it was at one moment
data/archive/…       the records of the matches that were over at that moment
data/…               every other file of the folder
SHA256SUMS           the checksum of each of them; the last file, so that a backup without it is not complete
```
"""
