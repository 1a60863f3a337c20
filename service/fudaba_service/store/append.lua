#!lua
-- Appends entries to the logs of any number of matches, to each if it still is what the caller knows: of that length,
-- and with that last entry. (A log that was put back and went on otherwise may have the length again.) Before the first
-- entry the header stands for it, unless it is left open: a match that was lost may have been created anew.
-- KEYS log, meta, followers, deadlines of each match in turn
-- ARGV replica, then for each match: its id, expected length, expected last entry, next deadline in ms,
--      state ('' for no change), a seat's note and the field of meta for it ('' for none), number of entries, entries...
-- Answers for each match: 1 when appended; {length, entries after the expected length...} when it has gone on; -1 when it
-- is another history; 0 when there is no such match; an error when its log is no list.
-- Other replicas that hold copies are told the entries, each in one message for the whole batch: see store/news.py.
local function part(text) return struct.pack('>I4', #text) .. text end
local answers, news = {}, {}
local at = 2
for match = 1, #KEYS / 4 do
  local log, meta, followers, deadlines = unpack(KEYS, match * 4 - 3, match * 4)
  local id, expected, tail, deadline, state, note, field, count = unpack(ARGV, at, at + 7)
  local first, last = at + 8, at + 7 + count
  at = last + 1
  local length = redis.pcall('LLEN', log)
  if type(length) == 'table' then
    answers[match] = length -- a key of another type: that is this match's trouble alone
  elseif redis.call('EXISTS', meta) == 0 then
    answers[match] = 0
  elseif expected ~= '0' and redis.call('LINDEX', log, expected - 1) ~= tail then
    answers[match] = -1
  elseif expected == '0' and tail ~= '' and redis.call('HGET', meta, 'header') ~= tail then
    answers[match] = -1
  elseif length ~= tonumber(expected) then
    local answer = redis.call('LRANGE', log, expected, -1)
    table.insert(answer, 1, length)
    answers[match] = answer
  else
    redis.call('RPUSH', log, unpack(ARGV, first, last))
    if state ~= '' then redis.call('HSET', meta, 'state', state) end
    if note ~= '' then redis.call('HSET', meta, field, note) end
    redis.call('ZADD', deadlines, deadline, id)
    local told = nil
    for _, replica in ipairs(redis.call('SMEMBERS', followers)) do
      if replica ~= ARGV[1] then
        if not told then
          told = part(id) .. part(expected) .. part(expected == '0' and '' or tail) .. part(count)
          for entry = first, last do told = told .. part(ARGV[entry]) end
        end
        news[replica] = (news[replica] or '') .. told
      end
    end
    answers[match] = 1
  end
end
for replica, told in pairs(news) do
  redis.call('PUBLISH', 'fudaba:replica:' .. replica, told)
end
return answers
