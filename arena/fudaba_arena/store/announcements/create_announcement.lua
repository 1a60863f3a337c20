#!lua
-- Stores an announcement, unless its id is taken or there were too many in the last day. The oldest make room.
-- KEYS the announcements by id, their ids by time, the ids of the last day by time
-- ARGV id, the announcement, now, a day, how many a day, how many are kept
-- Answers {the announcement with this id, or '' for none, when it could be stored, or 0}. Times are in milliseconds.
-- An id whose announcement was withdrawn is taken for the rest of its day, so that a late retry does not bring it back.
local id, now, day, most = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local known = redis.call('HGET', KEYS[1], id)
if known then return {known, 0} end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - day)
if redis.call('ZSCORE', KEYS[3], id) then return {'', 0} end
local recent = redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')
if #recent >= 2 * most then return {'', tonumber(recent[#recent - 2 * most + 2]) + day} end
redis.call('HSET', KEYS[1], id, ARGV[2])
redis.call('ZADD', KEYS[2], now, id)
redis.call('ZADD', KEYS[3], now, id)
redis.call('PEXPIRE', KEYS[3], day)
local beyond = redis.call('ZRANGE', KEYS[2], 0, -1 - tonumber(ARGV[6]))
for _, oldest in ipairs(beyond) do
    redis.call('HDEL', KEYS[1], oldest)
    redis.call('ZREM', KEYS[2], oldest)
end
return {ARGV[2], 0}
