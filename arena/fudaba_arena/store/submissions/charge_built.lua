#!lua
-- Counts what a build has made among what an account has uploaded, unless that is too much in a day.
-- KEYS what the account has uploaded, what accounts may use in a day
-- ARGV the build, its bytes, now, a day
-- Answers {} when it counts; else how many bytes there were before, how many there may be, and when there is room for
-- these, or 0 for never. Times are in milliseconds. What `ID.2` has made takes the place of what `ID.1` has.
local member, size, now, day = ARGV[1] .. '+built:' .. ARGV[2], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local most = tonumber(redis.call('HGET', KEYS[2], 'bytes') or -1)
if most < 0 or redis.call('ZSCORE', KEYS[1], member) then return {} end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - day)
local own, attempt = string.match(ARGV[1], '^(.*)%.(%d+)$')
for _, other in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local id, number = string.match(other, '^(.*)%.(%d+)%+built:')
    if own and id == own then
        if tonumber(number) > tonumber(attempt) then return {} end -- a worker that has lost it
        redis.call('ZREM', KEYS[1], other)
    end
end
local asked, used = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'), 0
for place = 1, #asked, 2 do used = used + tonumber(string.match(asked[place], ':(%d+)$')) end
if used + size > most then
    local left = used
    for place = 1, #asked, 2 do
        left = left - tonumber(string.match(asked[place], ':(%d+)$'))
        if left + size <= most then return {used, most, tonumber(asked[place + 1]) + day} end
    end
    return {used, most, 0}
end
redis.call('ZADD', KEYS[1], now, member)
redis.call('PEXPIRE', KEYS[1], day)
return {}
