-- Has a worker play a block from now on, for as long as its lease says.
-- KEYS attempts, slots that count, state of the tournament, the block, its lease
-- ARGV attempt, worker, milliseconds of the lease
-- Answers what to play, how often it was begun, when the worker before was last alive, and the time; or 'over', 'held',
-- 'paused': then nothing changes.
local slot, attempt, what, ended = unpack(redis.call('HMGET', KEYS[4], 'slot', 'attempt', 'what', 'end'))
if attempt ~= ARGV[1] or ended or redis.call('GETBIT', KEYS[2], slot) == 1
    or (redis.call('HGET', KEYS[1], slot) or '0') ~= attempt then
    return 'over'
end
local wanted, closed = unpack(redis.call('HMGET', KEYS[3], 'wanted', 'closed'))
if wanted == 'paused' or wanted == 'closed' or closed then return 'paused' end
if redis.call('EXISTS', KEYS[5]) == 1 then return 'held' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = redis.call('HGET', KEYS[4], 'alive') or ''
redis.call('SET', KEYS[5], ARGV[2], 'PX', ARGV[3])
redis.call('HSET', KEYS[4], 'worker', ARGV[2], 'alive', string.format('%d', now))
return {what, redis.call('HINCRBY', KEYS[4], 'begun', 1), last, now}
