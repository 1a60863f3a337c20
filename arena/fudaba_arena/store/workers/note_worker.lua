#!lua
-- Notes what a worker says of itself, and when.
-- KEYS workers, their hosts
-- ARGV worker, what it says, what it says of its host
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000)) .. '\n' .. ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
