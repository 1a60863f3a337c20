-- Notes that a block is finished, once.
-- KEYS finished blocks, void blocks
-- ARGV block number, the matches that count
-- Answers 1 when it was noted now, 0 when the block was void or finished already.
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end
return redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
