-- Removes a match whose record is in the archive. Its id stays taken for a while, in case a late call creates it again.
-- KEYS meta, log, followers, live, deadlines, gone
-- ARGV match id, seconds for which the id stays taken
-- Answers 1 when it was there, 0 when somebody else had removed it.
local there = redis.call('DEL', KEYS[1])
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('SET', KEYS[6], '1', 'EX', ARGV[2])
return there
