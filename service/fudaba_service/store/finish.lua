#!lua flags=allow-oom
-- Removes a match whose record is in the archive. Its id stays taken for a while, with the
-- fingerprint of the request that created it, in case a late call does so again.
-- KEYS meta, log, followers, live, deadlines, gone, snapshot
-- ARGV match id, seconds for which the id stays taken, the length of the archived log, its last entry
-- Answers 1 when removed, 0 when somebody else had done so, -1 when the log is not the one that is archived.
if redis.call('EXISTS', KEYS[1]) == 1 then
  local length = redis.call('LLEN', KEYS[2])
  if length ~= tonumber(ARGV[3]) or (redis.call('LINDEX', KEYS[2], -1) or '') ~= ARGV[4] then return -1 end
end
local fingerprint = redis.call('HGET', KEYS[1], 'asked') or redis.call('GET', KEYS[6]) or ''
local there = redis.call('DEL', KEYS[1])
redis.call('DEL', KEYS[2], KEYS[3], KEYS[7])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('SET', KEYS[6], fingerprint, 'EX', ARGV[2])
return there
