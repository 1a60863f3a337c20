#!lua
-- Notes that a build begins for an account, unless builds took as long in the last day as they may.
-- KEYS the builds of the account, what accounts may use in a day
-- ARGV the build, now, a day, how long a build may take at most. Times are in milliseconds
-- Answers {} when it may begin; else how long builds took, how long they may take, and when there is time again, or 0 for
-- never. A build that did not end counts for as long as it has gone on, and at most for as long as it may. `ID.2` takes the
-- place of `ID.1`: that its result was lost is no fault of the author's.
local now, day, longest = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local most = tonumber(redis.call('HGET', KEYS[2], 'build_ms') or -1)
if most < 0 then return {} end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - day)
local own, attempt = string.match(ARGV[1], '^(.*)%.(%d+)$')
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local id, other = string.match(member, '^(.*)%.(%d+):')
    if own and id == own and other ~= attempt then
        if tonumber(other) > tonumber(attempt) then return {} end -- a worker that has lost it
        redis.call('ZREM', KEYS[1], member)
    end
end
local builds, took, used = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'), {}, 0
for place = 1, #builds, 2 do
    if builds[place] ~= ARGV[1] .. ':-' then
        local ended = tonumber(string.match(builds[place], ':(%d+)$'))
        took[place] = ended or math.min(now - tonumber(builds[place + 1]), longest)
        used = used + took[place]
    end
end
if used >= most then
    local left = used
    for place = 1, #builds, 2 do
        left = left - (took[place] or 0)
        if left < most then return {used, most, tonumber(builds[place + 1]) + day} end
    end
    return {used, most, 0}
end
redis.call('ZADD', KEYS[1], 'NX', now, ARGV[1] .. ':-')
redis.call('PEXPIRE', KEYS[1], day)
return {}
