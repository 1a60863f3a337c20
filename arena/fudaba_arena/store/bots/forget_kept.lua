#!lua flags=allow-oom
-- Forgets folders that the versions of a bot keep; a match that has one of them does not bring it back.
-- KEYS the bot's folders, who has them, what may be removed
-- ARGV when their archives may be removed, whose folder (none: all of the bot's)
-- Answers how many there were.
local whose = ARGV[2] and {ARGV[2]} or redis.call('HKEYS', KEYS[1])
local count = 0
for _, one in ipairs(whose) do
    local kept = redis.call('HGET', KEYS[1], one)
    if kept then
        redis.call('ZADD', KEYS[3], ARGV[1], cjson.decode(kept).name)
        count = count + redis.call('HDEL', KEYS[1], one)
    end
    redis.call('HDEL', KEYS[2], one)
end
if not ARGV[2] then redis.call('DEL', KEYS[2]) end
return count
