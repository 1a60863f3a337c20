#!lua
-- Stores a submission, unless its account has uploaded too much in the last day. One that is there stays as it is.
-- KEYS the submission, those that are uploaded, what the account has uploaded, all, and those of its account
-- ARGV id, its bot, what it is, fingerprint, now, when it expires, bytes, how many uploads and bytes a day (-1: any), a day,
-- whether to store it (1) or only to say whether it could be (0)
-- What builds have made is among what the account has uploaded, as bytes and not as uploads; see charge_built.lua.
-- Answers {0} when it is stored, or could be; else which quota it is, 1 for uploads and 2 for bytes, and when it could be stored, as
-- the day passes, or 0 for never. Times are in milliseconds.
local id, now, size = ARGV[1], tonumber(ARGV[5]), tonumber(ARGV[7])
local uploads, bytes, day = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
if redis.call('EXISTS', KEYS[1]) == 1 then return {0} end
if uploads >= 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - day)
    if uploads < 1 then return {1, 0} end
    if size > bytes then return {2, 0} end
    local asked, uploaded = redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES'), {}
    for place = 1, #asked, 2 do
        if not string.find(asked[place], '+', 1, true) then table.insert(uploaded, tonumber(asked[place + 1])) end
    end
    if #uploaded >= uploads then return {1, uploaded[#uploaded - uploads + 1] + day} end
    local sum = size
    for place = 1, #asked, 2 do sum = sum + tonumber(string.match(asked[place], ':(%d+)$')) end
    for place = 1, #asked, 2 do
        if sum <= bytes then break end
        sum = sum - tonumber(string.match(asked[place], ':(%d+)$'))
        if sum <= bytes then return {2, tonumber(asked[place + 1]) + day} end
    end
    if ARGV[11] == '1' then
        redis.call('ZADD', KEYS[3], now, id .. ':' .. ARGV[7])
        redis.call('PEXPIRE', KEYS[3], day)
    end
end
if ARGV[11] == '0' then return {0} end
redis.call('HSET', KEYS[1], 'what', ARGV[3], 'fingerprint', ARGV[4])
redis.call('ZADD', KEYS[2], ARGV[6], id)
for place = 4, 5 do redis.call('ZADD', KEYS[place], now, id .. ':' .. ARGV[2]) end
return {0}
