package fudaba;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Lines that do not drive the terminal. */
final class Log {
    /** Standard error, in UTF-8 wherever it is run. */
    private static final PrintStream ERRORS =
            new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    /** What could drive a terminal, or turn the text around. */
    private static final Pattern CONTROLS =
            Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff]");

    /** How many calls of a trace are told: an endless recursion has a thousand. */
    private static final int FRAMES = 20;

    private Log() {}

    static void line(String text) {
        ERRORS.println(CONTROLS.matcher(text).replaceAll("\ufffd"));
    }

    /** Tells what a bot threw, and what becomes of its match. */
    static void thrown(Match match, Throwable problem, String what) {
        line(match.id() + ": " + problem);
        StackTraceElement[] trace = problem.getStackTrace();
        for (int number = 0; number < Math.min(trace.length, FRAMES); number++) {
            line(match.id() + ":     at " + trace[number]);
        }
        if (problem.getCause() != null) {
            thrown(match, problem.getCause(), what);
            return;
        }
        line(match.id() + ": " + what);
    }
}
