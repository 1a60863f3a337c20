package fudaba;

import fudaba.v1.MatchEnd;

/** Plays one seat of one match; each has a bot, and a thread, of its own. */
@FunctionalInterface
public interface Bot {
    /**
     * Returns the index of a move in {@code decision.legalMoves()}.
     *
     * <p>When it throws, the default move is played, which is the first one, and what it threw is printed.
     */
    int choose(Decision decision) throws Exception;

    /** Told when the match is over; one without a result has no outcome. */
    default void over(MatchEnd end) throws Exception {}

    /** Told when the service had to put the match back: forget what happened since the position asked about next. */
    default void rewound() throws Exception {}
}
