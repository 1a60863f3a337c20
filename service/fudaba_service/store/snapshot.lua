#!lua
-- Keeps a snapshot of a match beside its log, in place of an older one, as long as there is the match.
-- KEYS snapshot, meta
-- ARGV the snapshot, for how many seconds: a release that does not know of it removes the match without it
if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
return 0
