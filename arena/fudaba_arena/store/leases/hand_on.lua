#!lua flags=allow-oom
-- Has another worker go on with a block, of which its worker has nothing in play.
-- KEYS the block, its lease
-- ARGV worker, its host, the message in the queue by which workers will be told
-- Answers 1, or 0 when the block is over, or another worker has taken it since: then nothing changes.
local worker, ended = unpack(redis.call('HMGET', KEYS[1], 'worker', 'end'))
if worker ~= ARGV[1] or ended then return 0 end
local time = redis.call('TIME')
local alive = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('DEL', KEYS[2])
redis.call('HDEL', KEYS[1], 'worker')
redis.call('HINCRBY', KEYS[1], 'begun', -1)
redis.call('HSET', KEYS[1], 'alive', alive, 'handed_on', alive, 'host', ARGV[2], 'message', ARGV[3])
return 1
