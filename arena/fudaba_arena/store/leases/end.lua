#!lua flags=allow-oom
-- Notes how a block ended at a worker, or that the worker has left it.
-- KEYS the block, its lease, blocks that ended
-- ARGV worker, block number, how it ended; empty when it was left
-- Answers 1, or 0 when the block is over, or another worker has taken it since: then nothing changes.
local worker, ended = unpack(redis.call('HMGET', KEYS[1], 'worker', 'end'))
if worker ~= ARGV[1] or ended then return 0 end
redis.call('DEL', KEYS[2])
if ARGV[3] == '' then
    redis.call('HDEL', KEYS[1], 'worker')
    redis.call('HINCRBY', KEYS[1], 'begun', -1)
else
    redis.call('HSET', KEYS[1], 'end', ARGV[3])
    redis.call('RPUSH', KEYS[3], ARGV[2])
end
return 1
