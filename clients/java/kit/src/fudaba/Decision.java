package fudaba;

import fudaba.v1.Event;
import fudaba.v1.Move;
import fudaba.v1.Refusal;
import fudaba.v1.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What a bot has to decide, or may decide. */
public final class Decision {
    private final Match match;
    private final fudaba.v1.Decision message;
    private final List<Move.Game> legalMoves;
    private final List<Event.Game> events;
    private final Refusal refusal;
    private final long end;
    private volatile boolean closed;
    private String note = "";

    /** A decision with what happened since the one before. */
    public Decision(Match match, fudaba.v1.Decision message, List<Event.Game> events) {
        this(match, message, movesOf(message), events, null, System.nanoTime() + message.timeMs() * 1_000_000L);
    }

    private Decision(Match match, fudaba.v1.Decision message, List<Move.Game> legalMoves, List<Event.Game> events,
            Refusal refusal, long end) {
        this.match = match;
        this.message = message;
        this.legalMoves = legalMoves;
        this.events = events;
        this.refusal = refusal;
        this.end = end;
    }

    private static List<Move.Game> movesOf(fudaba.v1.Decision message) {
        List<Move.Game> moves = new ArrayList<>(message.legalMoves().size());
        for (Move move : message.legalMoves()) {
            moves.add(move.game());
        }
        return Collections.unmodifiableList(moves); // of a game that this kit does not know yet, they are null
    }

    /** The same decision, after an answer was refused. */
    Decision after(Refusal refused) {
        return new Decision(match, message, legalMoves, List.of(), refused, end);
    }

    /** The match that it is about. */
    public Match match() {
        return match;
    }

    /** Its id. */
    public String id() {
        return message.decisionId();
    }

    /** Whether it must be made. */
    public boolean required() {
        return message.required();
    }

    /** What this seat knows, as the game's own message: a NagaView in a match of Naga. */
    public View.Game view() {
        return message.view() == null ? null : message.view().game();
    }

    /** The legal moves, as the game's own messages, in the rulebook's order. The first one is the default move. */
    public List<Move.Game> legalMoves() {
        return legalMoves;
    }

    /** How many moves are legal: more than {@link #legalMoves} has when they are more than 2000. */
    public int legalCount() {
        return message.legalCount();
    }

    /** What happened since the decision before, as the game's own messages. */
    public List<Event.Game> events() {
        return Collections.unmodifiableList(events);
    }

    /** Why the answer before was refused, when the bot is asked again; else null. */
    public Refusal refusal() {
        return refusal;
    }

    /** How long the answer may still take. */
    public Duration timeLeft() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /** Whether there is still time for an answer, and use for it. A bot that thinks long asks now and then. */
    public boolean wanted() {
        return !closed && System.nanoTime() - end < 0;
    }

    /** Leaves nothing more to be done about it. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** The note. */
    public String note() {
        return note;
    }

    /** Notes what only the bot's author is shown, beside the record. Of a longer text, the first 1024 bytes are kept. */
    public void note(String text) {
        note = text;
    }
}
