#!lua
-- Creates a match unless there is one of its id, live or lately finished, and notes its bots' seats in the same step: a
-- failover keeps both or neither.
-- KEYS meta, live, deadlines, gone, then the matches of each of its bots
-- ARGV match id, created in ms, start deadline in ms, header, seed, salt, request fingerprint
-- Answers 1 when created, 0 when not. Sent again after a lost reply it recognises its own match: salts are random.
if redis.call('HGET', KEYS[1], 'salt') == ARGV[6] and redis.call('HGET', KEYS[1], 'seed') == ARGV[5] then return 1 end
if redis.call('EXISTS', KEYS[1], KEYS[4]) > 0 then return 0 end
redis.call('HSET', KEYS[1], 'header', ARGV[4], 'seed', ARGV[5], 'salt', ARGV[6], 'state', '1', 'asked', ARGV[7])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
for i = 5, #KEYS do redis.call('SADD', KEYS[i], ARGV[1]) end
return 1
