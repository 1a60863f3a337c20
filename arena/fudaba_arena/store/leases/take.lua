#!lua
-- Has a worker play a block from now on, for as long as its lease says.
-- KEYS attempts, slots that count, state of the tournament, the block, its lease, open matches
-- ARGV attempt, worker, milliseconds of the lease
-- Answers what to play, how often it was begun, when the worker before was last alive, the time, what is known of each of
-- its matches, and 1 when that worker handed it on with nothing in play; or 'over', 'held', 'paused': then nothing changes.
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
-- A worker of an earlier release that has had it since has changed the one, and not the other.
local handed_on = redis.call('HGET', KEYS[4], 'handed_on')
redis.call('HDEL', KEYS[4], 'handed_on')
redis.call('SET', KEYS[5], ARGV[2], 'PX', ARGV[3])
redis.call('HSET', KEYS[4], 'worker', ARGV[2], 'alive', string.format('%d', now))
local ids = {}
pcall(function()  -- the worker says what is wrong with a block that cannot be read
    for place, match in ipairs(cjson.decode(what).matches) do ids[place] = match.match_id end
end)
local known = #ids > 0 and redis.call('HMGET', KEYS[6], unpack(ids)) or {}
return {what or '', redis.call('HINCRBY', KEYS[4], 'begun', 1), last, now, known, handed_on == last and 1 or 0}
