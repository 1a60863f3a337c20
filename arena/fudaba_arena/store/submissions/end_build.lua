#!lua flags=allow-oom
-- Notes how long a build took.
-- KEYS the builds of the account
-- ARGV the build, how long it took in milliseconds
local began = redis.call('ZSCORE', KEYS[1], ARGV[1] .. ':-')
if began then
    redis.call('ZREM', KEYS[1], ARGV[1] .. ':-')
    redis.call('ZADD', KEYS[1], began, ARGV[1] .. ':' .. ARGV[2])
end
