-- What is to be removed now: nobody may begin to need it until it is said that it was.
-- KEYS what may be removed, what is removed at this moment
-- ARGV what keys of those who need a content begin with, now
for _, content in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])) do
    redis.call('ZREM', KEYS[1], content)
    if redis.call('SCARD', ARGV[1] .. content) == 0 then redis.call('ZADD', KEYS[2], ARGV[2], content) end
end
return redis.call('ZRANGE', KEYS[2], 0, -1)
