#!lua flags=allow-oom
-- Takes a block back of which no worker has begun anything.
-- KEYS blocks that are handed out, the block, its lease
-- ARGV block number
-- Answers 1, or 0 when a worker has begun it: then nothing changes.
if redis.call('EXISTS', KEYS[3]) == 1 or redis.call('HEXISTS', KEYS[2], 'alive') == 1 then return 0 end
redis.call('SREM', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
return 1
