#!lua
-- Notes what a build has made, which was written; where nobody needs its source any more, it may be removed at once.
-- KEYS what builds have made, what may be removed
-- ARGV what keys of those who need a content begin with, the same of the builds of a source, the build, whose name begins
--      with the hash of its source, what it has made, now, when what was made before may be removed
local what, made = ARGV[3], ARGV[4]
local source = string.sub(what, 1, 64)
if redis.call('SCARD', ARGV[1] .. source) == 0 then
    if redis.call('SCARD', ARGV[1] .. made) == 0 then redis.call('ZADD', KEYS[2], ARGV[5], made) end
    return 0
end
local before = redis.call('HGET', KEYS[1], what)
redis.call('HSET', KEYS[1], what, made)
redis.call('SADD', ARGV[1] .. made, what)
redis.call('ZREM', KEYS[2], made)
redis.call('SADD', ARGV[2] .. source, what)
if before and before ~= made then
    redis.call('SREM', ARGV[1] .. before, what)
    if redis.call('SCARD', ARGV[1] .. before) == 0 then redis.call('ZADD', KEYS[2], ARGV[6], before) end
end
return 1
