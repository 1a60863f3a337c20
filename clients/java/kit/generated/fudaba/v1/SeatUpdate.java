// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * News of one match for one seat.
 *
 * @param matchId The match.
 * @param seat The seat.
 * @param seen The number of events that this seat has been shown so far, including those in this update.
 * @param events Events that this seat has not received yet, in order.
 * @param started Set in the first update of a match on this stream, even if an earlier stream had the match. Absent in
 *     an update that only reports the end of a match that was already over and that {@code hello} did not list: ignore
 *     that update if you know the end.
 * @param decision Set when the seat has to make a decision, or may make one. A seat has at most one open decision: a
 *     new decision means that the decision before it is closed. The service sends the open decision to a new stream
 *     again, under its id, even if an answer to it is on its way. Then send the same answer again.
 * @param accepted The ids of the decisions whose answers were stored since the last update.
 * @param timedOut The ids of the decisions that were closed with the default move since the last update because time
 *     had run out.
 * @param over Set when the match is over.
 * @param rewound Set when the service had to put the match back because its store lost the last part of it. The events
 *     of this update follow event number {@code seen} minus their number. Forget everything after that event, and every
 *     decision and answer since. A decision that comes again under its id is the same decision, and its answer was
 *     lost: answer it again, with any move.
 * @param view What the seat knows now, in an update without a decision, if {@code views} was set. Absent before the
 *     match begins.
 * @param history Distinguishes these {@code seen} events from any that might replace them; see {@code rewound}. Return
 *     it unchanged in {@code hello} or WatchSeat when you connect again.
 */
public record SeatUpdate(String matchId, int seat, int seen, List<Event> events, MatchHeader started, Decision decision,
        List<String> accepted, List<String> timedOut, MatchEnd over, boolean rewound, View view, int history)
        implements PlayResponse.Message, Writable {
    /** Reads one, to its end. */
    public static SeatUpdate read(Input input) throws IOException {
        String matchId = "";
        int seat = 0;
        int seen = 0;
        List<Event> events = new ArrayList<>();
        MatchHeader started = null;
        Decision decision = null;
        List<String> accepted = new ArrayList<>();
        List<String> timedOut = new ArrayList<>();
        MatchEnd over = null;
        boolean rewound = false;
        View view = null;
        int history = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> matchId = input.string();
                case 2 -> seat = input.uint32();
                case 3 -> seen = input.uint32();
                case 4 -> { int end = input.enter(); events.add(Event.read(input)); input.leave(end); }
                case 5 -> { int end = input.enter(); started = MatchHeader.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); decision = Decision.read(input); input.leave(end); }
                case 7 -> accepted.add(input.string());
                case 8 -> timedOut.add(input.string());
                case 9 -> { int end = input.enter(); over = MatchEnd.read(input); input.leave(end); }
                case 10 -> rewound = input.bool();
                case 11 -> { int end = input.enter(); view = View.read(input); input.leave(end); }
                case 12 -> history = input.uint32();
                default -> input.skip();
            }
        }
        return new SeatUpdate(matchId, seat, seen, List.copyOf(events), started, decision, List.copyOf(accepted),
                List.copyOf(timedOut), over, rewound, view, history);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!matchId.isEmpty()) output.string(1, matchId);
        if (seat != 0) output.uint32(2, seat);
        if (seen != 0) output.uint32(3, seen);
        output.messages(4, events);
        output.message(5, started);
        output.message(6, decision);
        output.strings(7, accepted);
        output.strings(8, timedOut);
        output.message(9, over);
        if (rewound) output.bool(10, rewound);
        output.message(11, view);
        if (history != 0) output.uint32(12, history);
    }
}
