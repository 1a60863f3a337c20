-- Appends entries to a match's log if it still has the length that the caller knows. Atomic, as every script is.
-- KEYS log, meta, followers, deadlines
-- ARGV replica, match id, expected length, next deadline in ms, state ('' for no change), entries...
-- Answers {1} when appended; {0, length, entries after the expected length...} when not; {-1} when there is no such match.
if redis.call('EXISTS', KEYS[2]) == 0 then return {-1} end
local expected = tonumber(ARGV[3])
local length = redis.call('LLEN', KEYS[1])
if length ~= expected then
  local answer = redis.call('LRANGE', KEYS[1], expected, -1)
  table.insert(answer, 1, length)
  table.insert(answer, 1, 0)
  return answer
end
redis.call('RPUSH', KEYS[1], unpack(ARGV, 6))
if ARGV[5] ~= '' then redis.call('HSET', KEYS[2], 'state', ARGV[5]) end
redis.call('ZADD', KEYS[4], ARGV[4], ARGV[2])
for _, replica in ipairs(redis.call('SMEMBERS', KEYS[3])) do
  if replica ~= ARGV[1] then redis.call('PUBLISH', 'fudaba:replica:' .. replica, ARGV[2]) end
end
return {1}
