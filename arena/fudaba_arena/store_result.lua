-- Stores the result of a match, once.
-- KEYS result, results stream, no-shows
-- ARGV the result, then the bots that played
-- Answers 1 when it was stored now, 0 when there was one already.
if not redis.call('SET', KEYS[1], ARGV[1], 'NX') then return 0 end
redis.call('XADD', KEYS[2], '*', 'result', ARGV[1])
if #ARGV > 1 then redis.call('HDEL', KEYS[3], unpack(ARGV, 2)) end
return 1
