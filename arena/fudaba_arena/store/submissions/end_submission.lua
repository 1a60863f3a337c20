#!lua flags=allow-oom
-- Notes how a submission ended. What was noted first stays, and nothing follows from what is noted later.
-- KEYS the submission, those that are uploaded, those that were not accepted, those that were refused
-- ARGV its id, how it ended, when it may be forgotten (empty: never)
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HSETNX', KEYS[1], 'over', ARGV[2])
if ARGV[3] ~= '' and redis.call('HGET', KEYS[1], 'over') == ARGV[2] then
    redis.call('ZADD', KEYS[3], 'NX', ARGV[3], ARGV[1])
    redis.call('SADD', KEYS[4], ARGV[1])
end
