#!lua flags=allow-oom
-- A submission that was refused needs its content no more. Where no other one does, that may be removed, and what builds
-- have made of it.
-- KEYS what builds have made, what may be removed, the submissions that were refused
-- ARGV what keys of those who need a content begin with, the same of the builds of a source, the content's hash, the
--      submission, now
local function release(content, user)
    redis.call('SREM', ARGV[1] .. content, user)
    if redis.call('SCARD', ARGV[1] .. content) > 0 then return false end
    redis.call('ZADD', KEYS[2], ARGV[5], content)
    return true
end
if release(ARGV[3], ARGV[4]) then
    for _, what in ipairs(redis.call('SMEMBERS', ARGV[2] .. ARGV[3])) do
        local made = redis.call('HGET', KEYS[1], what)
        if made then release(made, what) end
        redis.call('HDEL', KEYS[1], what)
    end
    redis.call('DEL', ARGV[2] .. ARGV[3])
end
redis.call('SREM', KEYS[3], ARGV[4])
