#!lua
-- Has a folder that a version keeps be a match's.
-- KEYS the bot's folders, who has them, the bots that keep nothing any more
-- ARGV the bot, whose folder, the match
-- Answers the folder; nothing for an empty one. That of a bot that keeps nothing any more is nobody's.
if redis.call('SISMEMBER', KEYS[3], ARGV[1]) == 0 then redis.call('HSET', KEYS[2], ARGV[2], ARGV[3]) end
return redis.call('HGET', KEYS[1], ARGV[2])
