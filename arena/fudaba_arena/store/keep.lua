-- Renews a worker's lease of a block.
-- KEYS the block, its lease
-- ARGV worker, milliseconds
-- Answers 1, or 0 when the block is over, or another worker has taken it since: then nothing changes.
local worker, ended = unpack(redis.call('HMGET', KEYS[1], 'worker', 'end'))
if worker ~= ARGV[1] or ended then return 0 end
local time = redis.call('TIME')
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[1], 'alive', string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000)))
return 1
