package fudaba;

import io.grpc.Status;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Whether both sides agree on TLS: where they do not, gRPC only says that no connection could be made. */
final class Encryption {
    /** How long a server may take to answer what is only a question, in milliseconds. */
    private static final int PATIENCE = 5_000;

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
        return speaksTls(endpoint.host(), endpoint.port())
                ? where + " wants TLS: set FUDABA_TLS=1, or FUDABA_CA_CERT to its authority's file"
                : "";
    }

    private static boolean isPlain(Throwable cause) {
        return cause != null && (cause instanceof NotSslRecordException || isPlain(cause.getCause()));
    }

    /** Whether a TLS handshake succeeds there. Nothing is sent over it, so whose certificate it is does not matter. */
    private static boolean speaksTls(String host, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), PATIENCE);
            socket.setSoTimeout(PATIENCE);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            SSLSocket secure = (SSLSocket) context.getSocketFactory().createSocket(socket, host, port, true);
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            return true;
        } catch (IOException | GeneralSecurityException error) {
            return false;
        }
    }
}
