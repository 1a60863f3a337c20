#!lua
-- Renews a worker's lease of a submission that it checks, and notes how far it is; or ends the check.
-- KEYS the submission, what is to be checked, those that were not accepted, the versions, those that were refused
-- ARGV its id, the worker, how long the lease holds, how far it is (empty: as before), how it ended (empty: not yet),
--      when it may be forgotten (empty: never), the BOT@VERSION that it is now (empty: none)
-- Answers 0 when it is not this worker's any more; then nothing has changed.
if redis.call('HGET', KEYS[1], 'worker') ~= ARGV[2] or redis.call('HEXISTS', KEYS[1], 'over') == 1 then return 0 end
if ARGV[5] ~= '' then
    redis.call('HSET', KEYS[1], 'over', ARGV[5])
    redis.call('HDEL', KEYS[1], 'so_far', 'worker', 'lease', 'begun')
    redis.call('ZREM', KEYS[2], ARGV[1])
    if ARGV[6] ~= '' then
        redis.call('ZADD', KEYS[3], ARGV[6], ARGV[1])
        redis.call('SADD', KEYS[5], ARGV[1])
    end
    if ARGV[7] ~= '' then redis.call('HSET', KEYS[4], ARGV[7], ARGV[1]) end
    return 1
end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'lease', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[3])
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'so_far', ARGV[4]) end
return 1
