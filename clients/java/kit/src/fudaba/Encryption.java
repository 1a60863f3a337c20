package fudaba;

import io.grpc.Status;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** Whether both sides agree on TLS: where they do not, gRPC only says that no connection could be made. */
final class Encryption {
    /** How long a server may take to answer what is only a question, in milliseconds. */
    private static final int PATIENCE = 5_000;
    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;
    /** The beginning of a TLS handshake: one cipher suite, no session, no extensions; what should be random is not. */
    private static final byte[] HELLO = new byte[50];

    static {
        byte[] head = {HANDSHAKE, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3};
        byte[] tail = {0, 0, 2, 0x13, 0x01, 1, 0};
        System.arraycopy(head, 0, HELLO, 0, head.length);
        System.arraycopy(tail, 0, HELLO, HELLO.length - tail.length, tail.length);
    }

    private Encryption() {}

    /** Why a connection that never was can never be, as far as TLS is the reason; else an empty text. */
    static String disagreement(Endpoint endpoint, Failure end) {
        if (end.code() != Status.Code.UNAVAILABLE || !endpoint.socket().isEmpty()) {
            return "";
        }
        String where = "the service at " + endpoint.address();
        if (endpoint.secure()) {
            return isPlain(end.cause()) ? where + " does not use TLS: leave out FUDABA_TLS and FUDABA_CA_CERT" : "";
        }
        return speaksTls(endpoint.address())
                ? where + " wants TLS: set FUDABA_TLS=1, or FUDABA_CA_CERT to its authority's file"
                : "";
    }

    private static boolean isPlain(Throwable cause) {
        return cause != null && (cause instanceof NotSslRecordException || isPlain(cause.getCause()));
    }

    /** Whether a server answers the beginning of a handshake with its own part of it, or with an alert. */
    private static boolean speaksTls(String address) {
        int colon = address.lastIndexOf(':');
        String host = address.substring(0, colon).replaceAll("^\\[|\\]$", "");
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, Integer.parseInt(address.substring(colon + 1))), PATIENCE);
            socket.setSoTimeout(PATIENCE);
            socket.getOutputStream().write(HELLO);
            int kind = socket.getInputStream().read();
            return kind == ALERT || kind == HANDSHAKE;
        } catch (IOException error) {
            return false;
        }
    }
}
