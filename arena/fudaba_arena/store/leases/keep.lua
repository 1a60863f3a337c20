#!lua flags=allow-oom
-- Renews a worker's leases of blocks.
-- KEYS of each block: the block, its lease
-- ARGV worker, milliseconds
-- Answers for each 1, or 0 when the block is over, or another worker has taken it since: then nothing changes.
local time, kept = redis.call('TIME'), {}
local alive = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
for place = 1, #KEYS, 2 do
    local worker, ended = unpack(redis.call('HMGET', KEYS[place], 'worker', 'end'))
    if worker == ARGV[1] and not ended then
        redis.call('SET', KEYS[place + 1], ARGV[1], 'PX', ARGV[2])
        redis.call('HSET', KEYS[place], 'alive', alive)
        kept[#kept + 1] = 1
    else
        kept[#kept + 1] = 0
    end
end
return kept
