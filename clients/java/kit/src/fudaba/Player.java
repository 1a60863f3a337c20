package fudaba;

import fudaba.v1.Answer;
import fudaba.v1.Delivery;
import fudaba.v1.Event;
import fudaba.v1.EventDelivery;
import fudaba.v1.Hello;
import fudaba.v1.LegalMoveFormat;
import fudaba.v1.MatchEnd;
import fudaba.v1.Ping;
import fudaba.v1.PlayRequest;
import fudaba.v1.PlayResponse;
import fudaba.v1.Pong;
import fudaba.v1.Refusal;
import fudaba.v1.SeatUpdate;
import fudaba.v1.SeatUpdates;
import fudaba.v1.Seen;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The matches of one process: takes the service's messages, and gives the bots' answers. What it does at each message
 * follows the comments of contract/fudaba/v1/play.proto. All of it is done in the loop, but for calls of bots.
 */
final class Player {
    /** How long to wait before an answer is sent again that could not be taken just now. */
    private static final Duration AGAIN = Duration.ofMillis(300);
    /** So often is an answer to one decision sent at most. */
    private static final int ATTEMPTS = 8;
    /** Refusals that are about the moment, not about the answer: the same answer can be sent again. */
    private static final Set<String> MOMENT = Set.of("TOO_FAST", "STORE_UNAVAILABLE", "SHUTTING_DOWN", "INTERNAL");
    /** Refusals that are about the answer: the bot is asked for another one. */
    private static final Set<String> WRONG = Set.of("ILLEGAL_MOVE", "MALFORMED_MOVE", "MALFORMED", "NOTE_TOO_LONG");

    private final Function<Match, Bot> newBot;
    /** How many matches it plays at once; 0 for any number. */
    private final int capacity;
    private final ScheduledExecutorService loop;
    /** With the attempt it tells the service which of two streams is the newer one. */
    private final String process = Long.toHexString(new SecureRandom().nextLong());
    private int attempt;
    private final Map<String, Seat> seats = new HashMap<>();
    /** Null without a stream: what is lost then is asked for again on the next one. */
    private Consumer<PlayRequest.Message> send;
    private boolean leaving;
    /** What was wrong with notes, and has been told. */
    private final Set<String> noteFaults = new HashSet<>();
    /** How many calls of bots wait or run. */
    private int busy;
    private final List<Runnable> idle = new ArrayList<>();

    /** A call of a bot. */
    private interface Call {
        void run() throws Exception;
    }

    Player(Function<Match, Bot> newBot, int capacity, ScheduledExecutorService loop) {
        this.newBot = newBot;
        this.capacity = capacity;
        this.loop = loop;
    }

    /** Does something once no bot is called. */
    void whenIdle(Runnable action) {
        if (busy == 0) {
            action.run();
        } else {
            idle.add(action);
        }
    }

    /** Waits until no bot is called, but not longer than said. Not for the loop. */
    void awaitIdle(Duration most) {
        CountDownLatch done = new CountDownLatch(1);
        loop.execute(() -> whenIdle(done::countDown));
        try {
            done.await(most.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException error) {
            throw new IllegalStateException("nobody interrupts this thread", error);
        }
    }

    /** Leaves further decisions to the next process, or to the clock; those that wait are still answered. */
    void takeNoMore() {
        leaving = true;
    }

    /** The first message of a new stream, to which messages go from now on. */
    Hello hello(Consumer<PlayRequest.Message> stream) {
        send = stream;
        attempt++;
        List<Seen> seen = new ArrayList<>();
        seats.forEach((id, seat) -> {
            seat.here = false;
            seen.add(new Seen(id, seat.seen, seat.history));
        });
        Delivery delivery = new Delivery(LegalMoveFormat.TYPED, EventDelivery.WITH_DECISION, false, false);
        return new Hello(delivery, seen, "fudaba-java", capacity, process, attempt, true);
    }

    void disconnected() {
        send = null;
    }

    /** Forgets the matches that the stream has not brought: the service does not know them any more. */
    void forgetMissing() {
        for (Iterator<Seat> all = seats.values().iterator(); all.hasNext();) {
            Seat seat = all.next();
            if (!seat.here) {
                Log.line(seat.match.id() + ": the service does not bring it any more");
                seat.close();
                seat.thread.shutdown();
                all.remove();
            }
        }
    }

    /** Takes any message but the welcome. A kind that a later release may add is passed over. */
    void received(PlayResponse response) {
        if (response.message() instanceof Ping ping) {
            put(new Pong(ping.id()));
        } else if (response.message() instanceof SeatUpdate update) {
            update(update);
        } else if (response.message() instanceof SeatUpdates batch) {
            batch.updates().forEach(this::update);
        } else if (response.message() instanceof Refusal refusal) {
            refused(refusal);
        }
    }

    private void put(PlayRequest.Message message) {
        if (send != null) {
            send.accept(message);
        }
    }

    private void update(SeatUpdate update) {
        Seat seat = seats.get(update.matchId());
        if (seat == null) {
            seat = newSeat(update);
            if (seat == null) {
                return;
            }
        }
        seat.here = true;
        seat.seen = update.seen();
        seat.history = update.history();
        if (update.rewound()) {
            // What was asked and answered since then has not happened, even where an id comes again.
            seat.close();
            seat.events = new ArrayList<>();
            call(seat, seat.bot::rewound);
        }
        for (Event event : update.events()) {
            seat.events.add(event.game());
        }
        update.accepted().forEach(closing(seat));
        update.timedOut().forEach(closing(seat));
        update.timedOut().forEach(id -> Log.line(update.matchId() + ": time ran out for decision " + id));
        if (update.over() != null) {
            over(seat, update.over());
        } else if (update.decision() != null && !leaving) {
            asked(seat, update.decision());
        }
    }

    private static Consumer<String> closing(Seat seat) {
        return id -> {
            if (seat.open(id) != null) {
                seat.close();
            }
        };
    }

    /** The seat of a match that is new here; null where it cannot be played. */
    private Seat newSeat(SeatUpdate update) {
        if (update.started() == null) {
            return null; // the end of a match that was over for us already
        }
        Match match = new Match(update.matchId(), update.started().game(), update.seat(), update.started());
        Bot bot;
        try {
            bot = newBot.apply(match);
        } catch (Throwable problem) {
            Log.thrown(match, problem, "it cannot be played and is left to its clock");
            return null;
        }
        Seat seat = new Seat(match, bot);
        seats.put(match.id(), seat);
        return seat;
    }

    private void over(Seat seat, MatchEnd end) {
        String id = seat.match.id();
        seat.close();
        seats.remove(id);
        if (end.outcome() != null) {
            Log.line(id + ": over, score " + end.outcome().scores().get(seat.match.seat()));
        } else {
            Log.line(id + ": over, without a result (" + end.abortCause() + ")");
        }
        call(seat, () -> seat.bot.over(end));
        seat.thread.shutdown();
    }

    private void asked(Seat seat, fudaba.v1.Decision message) {
        if (seat.open(message.decisionId()) != null) {
            // Asked again after a lost connection: the answer may have been lost with it. An answer counts once.
            if (seat.open.answer != null) {
                put(seat.open.answer);
            }
            return;
        }
        seat.close();
        seat.open = new Seat.Open(new Decision(seat.match, message, seat.events));
        seat.events = new ArrayList<>();
        think(seat, seat.open);
    }

    /** Has the bot asked, and its answer sent if the decision is then still open. */
    private void think(Seat seat, Seat.Open open) {
        Decision decision = open.decision;
        call(seat, () -> {
            if (decision.isClosed()) {
                return; // while it waited
            }
            int index = choice(seat, decision);
            Note note = Note.of(decision.note());
            Answer answer = new Answer(seat.match.id(), decision.id(), note.text(), new Answer.Index(index));
            loop.execute(() -> {
                note.faults().stream().filter(noteFaults::add).forEach(fault -> Log.line(seat.match.id() + ": "
                        + decision.id() + ": " + fault + "; the move stands, and this is told once"));
                if (!decision.isClosed()) {
                    open.answer = answer;
                    open.attempts++;
                    put(answer);
                }
            });
        });
    }

    /** The bot's choice; the default move if it fails, so that a mistake in it costs a move and not the match. */
    private static int choice(Seat seat, Decision decision) {
        try {
            int index = seat.bot.choose(decision);
            if (index >= 0 && index < decision.legalCount()) {
                return index;
            }
            throw new IndexOutOfBoundsException("choose returned " + index + "; there are " + decision.legalCount()
                    + " legal moves, from index 0");
        } catch (Throwable problem) {
            // Whoever runs the bot counts these lines, see the contract.
            String what = "own error at decision " + decision.id() + "; the default move is played";
            Log.thrown(seat.match, problem, what);
            return 0;
        }
    }

    private void refused(Refusal refusal) {
        String id = refusal.matchId();
        Log.line(id + ": refused: " + refusal.reason() + ": " + refusal.message());
        Seat seat = seats.get(id);
        Seat.Open open = seat == null ? null : seat.open(refusal.decisionId());
        if (open == null || open.answer == null) {
            return;
        }
        if (!refusal.stillOpen()) {
            seat.close();
        } else if (open.attempts >= ATTEMPTS) {
            Log.line(id + ": " + refusal.decisionId() + " is left to the clock");
        } else if (WRONG.contains(refusal.reason())) {
            open.answer = null;
            open.decision = open.decision.after(refusal);
            think(seat, open);
        } else if (MOMENT.contains(refusal.reason())) {
            Answer answer = open.answer;
            open.attempts++;
            loop.schedule(() -> {
                if (!open.decision.isClosed() && open.answer == answer) {
                    put(answer);
                }
            }, AGAIN.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Calls a method of the bot, after those that it was called before. */
    private void call(Seat seat, Call method) {
        busy++;
        seat.thread.execute(() -> {
            try {
                method.run();
            } catch (Throwable problem) {
                Log.thrown(seat.match, problem, "the match goes on");
            }
            loop.execute(this::returned);
        });
    }

    private void returned() {
        busy--;
        if (busy == 0) {
            List<Runnable> waiting = List.copyOf(idle);
            idle.clear();
            waiting.forEach(Runnable::run);
        }
    }
}
