#!lua flags=no-writes
-- How far blocks are that are handed out.
-- KEYS of each block: the block, its lease
-- Answers for each its attempt (nothing when it is not handed out any more), how it ended, its message in the queue, the
-- worker that has taken it, whether it is held, and the host whose worker handed it on last.
local found = {}
for place = 1, #KEYS, 2 do
    local block = redis.call('HMGET', KEYS[place], 'attempt', 'end', 'message', 'worker')
    block[5] = redis.call('EXISTS', KEYS[place + 1])
    block[6] = redis.call('HGET', KEYS[place], 'host')
    found[#found + 1] = block
end
return found
