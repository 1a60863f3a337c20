#!lua flags=allow-oom
-- Goes on removing contents.
-- KEYS who removes
-- ARGV who asks, for how many milliseconds it removes without asking again
-- Answers 0 when another one may remove by now.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
