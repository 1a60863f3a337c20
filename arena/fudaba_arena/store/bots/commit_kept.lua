#!lua
-- Has a folder that a version keeps be as a match has left it, if it is still the match's.
-- KEYS the bot's folders, who has them, what may be removed
-- ARGV whose folder, the match that has it, what it is now (empty: as it was), the name of its archive, when what
--      nobody needs any more may be removed
-- Answers 0 when it is not that match's any more, or its archive is gone; then only the archive is of no use, unless
-- it is that of the folder, as when this is asked twice.
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then
    if ARGV[4] ~= '' then redis.call('ZADD', KEYS[3], 'XX', ARGV[5], ARGV[4]) end
    return 0
end
if ARGV[3] ~= '' then
    if redis.call('ZREM', KEYS[3], ARGV[4]) == 0 then return 0 end
    local before = redis.call('HGET', KEYS[1], ARGV[1])
    if before then redis.call('ZADD', KEYS[3], ARGV[5], cjson.decode(before).name) end
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
redis.call('HDEL', KEYS[2], ARGV[1])
return 1
