// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The time that seats have, and what happens when it is used up. A decision may take {@code move_ms} plus what is left
 * in the seat's bank. Time beyond {@code move_ms} is taken from the bank; after each decision {@code increment_ms} is
 * added to the bank.
 *
 * @param moveMs Time for each decision, in milliseconds; 1 to 3,600,000.
 * @param incrementMs Added to the bank after each decision, in milliseconds.
 * @param bankMs The bank at the start of the match, in milliseconds.
 * @param maxTimeouts A seat whose time runs out plays the default move. After this many such moves it forfeits; 0 means
 *     never.
 * @param maxIllegal After this many illegal or malformed answers a seat forfeits; 0 means never.
 * @param startMs The match is aborted if a seat's bot has not connected after this many milliseconds; 0 means 60,000.
 * @param noNetworkCredit Whether all time on the network is the bots' own. Otherwise up to 300 ms of it are credited at
 *     each decision.
 */
public record Clock(int moveMs, int incrementMs, int bankMs, int maxTimeouts, int maxIllegal, int startMs,
        boolean noNetworkCredit) implements Writable {
    /** Reads one, to its end. */
    public static Clock read(Input input) throws IOException {
        int moveMs = 0;
        int incrementMs = 0;
        int bankMs = 0;
        int maxTimeouts = 0;
        int maxIllegal = 0;
        int startMs = 0;
        boolean noNetworkCredit = false;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> moveMs = input.uint32();
                case 2 -> incrementMs = input.uint32();
                case 3 -> bankMs = input.uint32();
                case 4 -> maxTimeouts = input.uint32();
                case 5 -> maxIllegal = input.uint32();
                case 6 -> startMs = input.uint32();
                case 7 -> noNetworkCredit = input.bool();
                default -> input.skip();
            }
        }
        return new Clock(moveMs, incrementMs, bankMs, maxTimeouts, maxIllegal, startMs, noNetworkCredit);
    }

    @Override
    public void write(Output output) throws IOException {
        if (moveMs != 0) output.uint32(1, moveMs);
        if (incrementMs != 0) output.uint32(2, incrementMs);
        if (bankMs != 0) output.uint32(3, bankMs);
        if (maxTimeouts != 0) output.uint32(4, maxTimeouts);
        if (maxIllegal != 0) output.uint32(5, maxIllegal);
        if (startMs != 0) output.uint32(6, startMs);
        if (noNetworkCredit) output.bool(7, noNetworkCredit);
    }
}
