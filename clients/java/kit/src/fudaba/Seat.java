package fudaba;

import fudaba.v1.Answer;
import fudaba.v1.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** This bot's seat in a match that is not over. */
final class Seat {
    final Match match;
    final Bot bot;
    /** Makes the calls of the bot, in turn. */
    final ExecutorService thread;
    /** What the last update said of them; both go into the next hello. */
    int seen;
    int history;
    /** What happened since the decision before. */
    List<Event.Game> events = new ArrayList<>();
    /** The decision that is open, or null. */
    Open open;
    /** Whether the stream of now has brought it. */
    boolean here;

    /** An open decision. */
    static final class Open {
        Decision decision;
        /** What was sent, or null; it is sent again, word for word, after a lost connection. */
        Answer answer;
        int attempts;

        Open(Decision decision) {
            this.decision = decision;
        }
    }

    Seat(Match match, Bot bot) {
        this.match = match;
        this.bot = bot;
        thread = Executors.newSingleThreadExecutor(work -> {
            Thread made = new Thread(work, match.id());
            made.setDaemon(true);
            return made;
        });
    }

    /** The open decision, if it has this id; else null. */
    Open open(String decisionId) {
        return open != null && open.decision.id().equals(decisionId) ? open : null;
    }

    /** Leaves nothing more to be done about the decision that was open. */
    void close() {
        if (open != null) {
            open.decision.close();
            open = null;
        }
    }
}
