#!lua flags=allow-oom
-- What is to be removed now: nobody may begin to need it until it is said that it was. One at a time removes.
-- KEYS what may be removed, what is removed at this moment, who removes
-- ARGV what keys of those who need a content begin with, now, who asks, for how many milliseconds it removes without
--      asking again
-- Answers nothing while another one removes.
local removes = redis.call('GET', KEYS[3])
if removes and removes ~= ARGV[3] then return {} end
for _, content in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])) do
    redis.call('ZREM', KEYS[1], content)
    redis.call('ZADD', KEYS[2], ARGV[2], content)
end
local found = {}
for _, content in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    if redis.call('SCARD', ARGV[1] .. content) == 0 then
        found[#found + 1] = content
    else
        redis.call('ZREM', KEYS[2], content)
    end
end
if #found > 0 then redis.call('SET', KEYS[3], ARGV[3], 'PX', ARGV[4]) end
return found
