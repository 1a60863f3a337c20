#!lua
-- Takes what is known of a match of an open block: that the service has it, or its result; the result once.
-- KEYS open matches, attempts, slots that count, no-shows, withdrawn bots
-- ARGV slot, attempt, match id, result (empty: the service has the match), then the bots that play
-- Answers 'stored', 'known' when there was a result already, 'late' when the attempt is over, or of a match without a result
-- 'withdrawn' when one of its bots plays no more: then nothing changes.
if redis.call('GETBIT', KEYS[3], ARGV[1]) == 1 or (redis.call('HGET', KEYS[2], ARGV[1]) or '0') ~= ARGV[2] then
    return 'late'
end
local there = redis.call('HGET', KEYS[1], ARGV[3]) or ''
if there ~= '' then return 'known' end
if ARGV[4] == '' then
    for place = 5, #ARGV do
        if redis.call('HEXISTS', KEYS[5], ARGV[place]) == 1 then return 'withdrawn' end
    end
end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[4])
if ARGV[4] ~= '' and #ARGV > 4 then redis.call('HDEL', KEYS[4], unpack(ARGV, 5)) end
return 'stored'
