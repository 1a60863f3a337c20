#!lua
-- Gives a worker the submission whose turn it is to be checked, of those that nobody checks. Owners take turns, so that the
-- many submissions of one do not hold up those of others; those of one owner come in the order in which they came.
-- KEYS what is to be checked, the number of the last turn of each owner, and how many turns there were
-- ARGV what keys of submissions begin with, the worker, how long its lease holds, in milliseconds, how many of one owner
--      it checks at most (0: any number), and then what submissions may need that it can check
-- Answers {} when there is none; else its id and how often it was begun, this time included.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local met = {[''] = true}
for place = 5, #ARGV do met[ARGV[place]] = true end
local checked, here, waiting, most = {}, {}, {}, tonumber(ARGV[4])
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local one = ARGV[1] .. id
    local over, needs, lease, owner, worker = unpack(redis.call('HMGET', one, 'over', 'needs', 'lease', 'owner', 'worker'))
    owner = owner or ''
    if over then
        redis.call('ZREM', KEYS[1], id)
    elseif tonumber(lease or 0) >= now then
        checked[owner] = (checked[owner] or 0) + 1
        if worker == ARGV[2] then here[owner] = (here[owner] or 0) + 1 end
    elseif met[needs or ''] and not waiting[owner] then
        waiting[owner] = id
        table.insert(waiting, owner)
    end
end
local best, fewest, longest
for _, owner in ipairs(waiting) do
    local at, last = checked[owner] or 0, tonumber(redis.call('HGET', KEYS[2], owner) or 0)
    local full = most > 0 and (here[owner] or 0) >= most
    if not full and (not best or at < fewest or (at == fewest and last < longest)) then best, fewest, longest = owner, at, last end
end
if not best then return {} end
local one = ARGV[1] .. waiting[best]
redis.call('HSET', KEYS[2], best, redis.call('HINCRBY', KEYS[2], ' turns', 1))
redis.call('EXPIRE', KEYS[2], 86400)
redis.call('HSET', one, 'worker', ARGV[2], 'lease', now + ARGV[3])
return {waiting[best], redis.call('HINCRBY', one, 'begun', 1)}
