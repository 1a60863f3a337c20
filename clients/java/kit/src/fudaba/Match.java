package fudaba;

import fudaba.v1.MatchHeader;

/**
 * What a bot plays.
 *
 * @param id The match's id.
 * @param game The game's id, such as {@code naga}.
 * @param seat This bot's seat, from 0.
 * @param header What the service tells of the match when it starts.
 */
public record Match(String id, String game, int seat, MatchHeader header) {}
