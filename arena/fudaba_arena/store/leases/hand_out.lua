#!lua
-- Notes what is to be played of an open block. What is there stays; of an attempt that is over nothing is noted.
-- KEYS attempts, slots that count, blocks that are handed out, this one
-- ARGV slot, attempt, block number, what to play, the message in the queue by which workers will be told
-- Answers 1 when it was noted now, else 0.
if redis.call('GETBIT', KEYS[2], ARGV[1]) == 1 or (redis.call('HGET', KEYS[1], ARGV[1]) or '0') ~= ARGV[2] then
    return 0
end
redis.call('SADD', KEYS[3], ARGV[3])
if redis.call('EXISTS', KEYS[4]) == 1 then return 0 end
redis.call('HSET', KEYS[4], 'slot', ARGV[1], 'attempt', ARGV[2], 'what', ARGV[4], 'message', ARGV[5])
return 1
