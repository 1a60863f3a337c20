"""Sessions: live matches in this process, each a cache of its log in the store."""
