package fudaba;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The way to the service: one Play stream after another, for as long as it makes sense. */
final class Connection {
    private static final Duration FIRST_DELAY = Duration.ofMillis(200);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(15);
    private static final double GROWTH = 1.7;

    private final Endpoint endpoint;
    /** The one thread of streams and matches; bots have their own. */
    private final EventLoop loop = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("fudaba", true), NioIoHandler.newFactory()).next();
    private final Player player;
    private final CountDownLatch told = new CountDownLatch(1);
    /** The stream of now; known to the loop alone. */
    private Stream stream;

    /** Trying again cannot mend it. */
    static final class Fatal extends Exception {
        private static final long serialVersionUID = 1;

        private Fatal(String message) {
            super(message);
        }
    }

    Connection(Endpoint endpoint, Function<Match, Bot> newBot) {
        this.endpoint = endpoint;
        player = new Player(newBot, endpoint.capacity(), loop);
    }

    /** How long to wait before an attempt, counted from 0: longer each time, and never in step; chance is 0 to 1. */
    static Duration delayBefore(int attempt, Duration retryAfter, double chance) {
        double growing = Math.min(LONGEST_DELAY.toMillis(), FIRST_DELAY.toMillis() * Math.pow(GROWTH, attempt));
        Duration delay = Duration.ofMillis(Math.round(growing * (0.5 + chance / 2)));
        return delay.compareTo(retryAfter) < 0 ? retryAfter : delay;
    }

    /** Plays until it is told to leave, or until the match is over that the token was for. */
    void play() throws Fatal {
        boolean ever = false; // once connected, it is not for TLS that there is no connection
        for (int attempt = 0; !isTold(); attempt++) {
            Stream.End end = oneStream();
            if (isTold() || end.failure().reason().equals("MATCH_OVER")) {
                player.awaitIdle(Stream.GOODBYE);
                return;
            }
            if (end.welcomed()) {
                attempt = 0;
                ever = true;
            }
            if (end.failure().isFatal()) {
                throw new Fatal(end.failure().toString());
            }
            String why = ever ? "" : Encryption.disagreement(endpoint, end.failure());
            if (!why.isEmpty()) {
                throw new Fatal(why);
            }
            Duration delay = delayBefore(attempt, end.failure().retryAfter(), ThreadLocalRandom.current().nextDouble());
            double seconds = delay.toMillis() / 1e3;
            String what = end.failure() + Proxies.through(endpoint);
            Log.line(String.format(Locale.ROOT, "no connection (%s); trying again in %.1f s", what, seconds));
            await(delay);
        }
    }

    /** Has it answer what it has been asked, and say goodbye; matches are left to the next process, or to clocks. */
    void leave() {
        told.countDown();
        loop.execute(() -> {
            if (stream != null) {
                stream.leave();
            }
        });
    }

    private boolean isTold() {
        return told.getCount() == 0;
    }

    private void await(Duration delay) {
        try {
            told.await(delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException error) {
            throw new IllegalStateException("nobody interrupts this thread", error);
        }
    }

    /** Plays over one stream until it ends. */
    private Stream.End oneStream() {
        CompletableFuture<Stream.End> ended = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                stream = new Stream(endpoint, player, loop, ended);
                stream.begin();
                if (isTold()) {
                    stream.leave();
                }
            } catch (RuntimeException fault) {
                ended.completeExceptionally(fault);
            }
        });
        return ended.join();
    }
}
