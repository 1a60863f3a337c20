#!lua
-- Closes a block: appends its line to the sequence, with the results of its matches, which are not open any more.
-- KEYS sequence, open matches, attempts, slots that count, unreleased blocks, no-shows; blocks that are handed out, this
--      one as it was handed out, and its lease
-- ARGV slot, attempt, '1' when it counts, block number, the line before how its matches went, between that and
--      what else is known of them, and after it, the number of its matches, their ids, the number of these that count, then the bots that did not show up
-- Answers the line's number in the sequence, from 1; 0 when the attempt is over already, -1 when a match that counts
-- has no result: then nothing changes.
if redis.call('GETBIT', KEYS[4], ARGV[1]) == 1 or (redis.call('HGET', KEYS[3], ARGV[1]) or '0') ~= ARGV[2] then
    return 0
end
local matches = tonumber(ARGV[8])
local ids = {unpack(ARGV, 9, 8 + matches)}
local went, about = {}, {}
for place, result in ipairs(redis.call('HMGET', KEYS[2], unpack(ids))) do
    if result and result ~= '' then
        went[#went + 1], about[#about + 1] = string.match(result, '^([^\n]*)\n(.*)$')
    elseif place <= tonumber(ARGV[9 + matches]) then
        return -1
    end
end
redis.call('HDEL', KEYS[2], unpack(ids))
redis.call('SREM', KEYS[7], ARGV[4])
redis.call('DEL', KEYS[8], KEYS[9])
redis.call('SADD', KEYS[5], ARGV[4])
if ARGV[3] == '1' then
    redis.call('SETBIT', KEYS[4], ARGV[1], 1)
else
    redis.call('HINCRBY', KEYS[3], ARGV[1], 1)
end
for place = 10 + matches, #ARGV do redis.call('HINCRBY', KEYS[6], ARGV[place], 1) end
local before, between, after = ARGV[5] .. '[', ']' .. ARGV[6] .. '[', ']' .. ARGV[7]
return redis.call('RPUSH', KEYS[1], before .. table.concat(went, ',') .. between .. table.concat(about, ',') .. after)
