-- Gives a worker the submission that has waited longest to be checked, and that nobody checks.
-- KEYS what is to be checked
-- ARGV what keys of submissions begin with, the worker, how long its lease holds, in milliseconds, and then what
--      submissions may need that it can check
-- Answers {} when there is none; else its id and how often it was begun, this time included.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local met = {[''] = true}
for place = 4, #ARGV do met[ARGV[place]] = true end
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local one = ARGV[1] .. id
    if redis.call('HEXISTS', one, 'over') == 1 then
        redis.call('ZREM', KEYS[1], id)
    elseif met[redis.call('HGET', one, 'needs') or ''] and tonumber(redis.call('HGET', one, 'lease') or 0) < now then
        redis.call('HSET', one, 'worker', ARGV[2], 'lease', now + ARGV[3])
        return {id, redis.call('HINCRBY', one, 'begun', 1)}
    end
end
return {}
