#!lua flags=allow-oom
-- Reads a match whole and, with a replica's name, makes that replica a follower: it is told of every later entry.
-- KEYS log, meta, followers, snapshot
-- ARGV replica ('' to follow not)
-- Answers {header, seed, salt, snapshot ('' for none), entries...}, or nothing when there is no such match.
local meta = redis.call('HMGET', KEYS[2], 'header', 'seed', 'salt')
if not meta[1] then return {} end
meta[4] = redis.call('GET', KEYS[4]) or ''
if ARGV[1] ~= '' then redis.call('SADD', KEYS[3], ARGV[1]) end
for _, entry in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do meta[#meta + 1] = entry end
return meta
