#!lua
-- Gives a match tags of an owner, in the place of all that it has.
-- KEYS who tagged the match, the places that the owner has tagged, the owner's tags
-- ARGV owner, the match's place, how many matches the owner may tag, the tags with a line feed between two
-- Answers 1, or 0 when the owner has tagged too many others.
local owner, place, old, new = ARGV[1], ARGV[2], redis.call('HGET', KEYS[1], ARGV[1]) or '', ARGV[4]
if old == '' and new ~= '' and redis.call('SCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
for tag in string.gmatch(old, '[^\n]+') do redis.call('ZREM', KEYS[3], tag .. '\n' .. place) end
if new == '' then
  redis.call('HDEL', KEYS[1], owner)
  redis.call('SREM', KEYS[2], place)
  return 1
end
for tag in string.gmatch(new, '[^\n]+') do redis.call('ZADD', KEYS[3], 0, tag .. '\n' .. place) end
redis.call('SADD', KEYS[2], place)
redis.call('HSET', KEYS[1], owner, new)
return 1
