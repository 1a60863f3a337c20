-- Notes that a block is void, once.
-- KEYS void blocks, finished blocks, no-shows
-- ARGV block number, what is noted, then the bots that did not show up
-- Answers 1 when it was noted now, 0 when the block was void or finished already.
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
for i = 3, #ARGV do redis.call('HINCRBY', KEYS[3], ARGV[i], 1) end
return 1
