#!lua
-- Notes that somebody needs a content, or is about to write it.
-- KEYS who needs it, what may be removed, what is removed at this moment, how large contents are
-- ARGV the content's hash, its size, who needs it (empty: it is only written), when it may be removed where nobody needs it
-- Answers 0 when it is removed at this moment: then nothing has changed, and it is to be asked again.
if redis.call('ZSCORE', KEYS[3], ARGV[1]) then return 0 end
redis.call('HSET', KEYS[4], ARGV[1], ARGV[2])
if ARGV[3] ~= '' then
    redis.call('SADD', KEYS[1], ARGV[3])
    redis.call('ZREM', KEYS[2], ARGV[1])
elseif redis.call('SCARD', KEYS[1]) == 0 then
    redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
end
return 1
