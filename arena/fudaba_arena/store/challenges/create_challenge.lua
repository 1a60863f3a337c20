#!lua
-- Stores a challenge, unless its account has asked for too much in the last day. One that is there stays as it is.
-- KEYS the challenge, those that are open, all, what the account has asked for, and those of each account with a part in it
-- ARGV id, what it is, fingerprint, now, what is older than this is not kept, blocks, how many a day (-1: any), a day
-- Answers -1 when it is stored; otherwise when it could be, as the day passes, or 0 for never. Times are in milliseconds.
local id, now, blocks, most, day = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
if redis.call('EXISTS', KEYS[1]) == 1 then return -1 end
if most >= 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now - day)
    if blocks > most then return 0 end
    local asked = redis.call('ZRANGE', KEYS[4], 0, -1, 'WITHSCORES')
    local sum = blocks
    for place = 1, #asked, 2 do sum = sum + tonumber(string.match(asked[place], ':(%d+)$')) end
    for place = 1, #asked, 2 do
        if sum <= most then break end
        sum = sum - tonumber(string.match(asked[place], ':(%d+)$'))
        if sum <= most then return tonumber(asked[place + 1]) + day end
    end
    redis.call('ZADD', KEYS[4], now, id .. ':' .. blocks)
    redis.call('PEXPIRE', KEYS[4], day)
end
redis.call('HSET', KEYS[1], 'what', ARGV[2], 'fingerprint', ARGV[3])
redis.call('SADD', KEYS[2], id)
for place = 3, #KEYS do
    if place ~= 4 then
        redis.call('ZREMRANGEBYSCORE', KEYS[place], '-inf', ARGV[5])
        redis.call('ZADD', KEYS[place], now, id)
    end
end
return -1
