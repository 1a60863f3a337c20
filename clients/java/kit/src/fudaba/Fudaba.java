package fudaba;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import sun.misc.Signal; // nothing else lets a process choose its exit code after a signal
import sun.misc.SignalHandler;

/** Runs a bot: signals, exit codes. */
public final class Fudaba {
    /**
     * What libraries print: of connections the kit tells; a fault within the loop has to be seen. Held here, since Java
     * forgets what nobody holds.
     */
    private static final Map<Logger, Level> PRINTED = Map.of(
            Logger.getLogger("io.grpc"), Level.SEVERE, Logger.getLogger("io.netty"), Level.SEVERE,
            Logger.getLogger("io.netty.util.concurrent"), Level.WARNING);

    private Fudaba() {}

    /**
     * Plays on the service that the environment names: FUDABA_SERVER, FUDABA_TOKEN, and for TLS FUDABA_TLS or
     * FUDABA_CA_CERT; FUDABA_CAPACITY matches at once, or any number. Makes the bot of each match with {@code newBot},
     * and does not return: the process ends with exit code 0 after SIGTERM or Ctrl-C, or when the match is over that the
     * token was for; with 1 after what trying again cannot mend; and with 2 when the environment cannot be used.
     */
    public static void run(Function<Match, Bot> newBot) {
        System.exit(exitCode(newBot));
    }

    private static int exitCode(Function<Match, Bot> newBot) {
        Endpoint endpoint;
        try {
            endpoint = Endpoint.of(System.getenv());
        } catch (Endpoint.Mistake mistake) {
            Log.line(mistake.getMessage());
            return 2;
        }
        PRINTED.forEach(Logger::setLevel);
        System.setProperty("io.netty.allocator.type", "unpooled"); // setting up a pool is a fifth of a process's start
        Connection connection = new Connection(endpoint, newBot);
        for (String name : List.of("TERM", "INT")) {
            Signal.handle(new Signal(name), signal -> {
                Signal.handle(signal, SignalHandler.SIG_DFL); // a second one ends the process at once
                connection.leave();
            });
        }
        try {
            connection.play();
            return 0;
        } catch (Connection.Fatal fatal) {
            Log.line(fatal.getMessage());
            return 1;
        }
    }
}
