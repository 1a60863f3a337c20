package fudaba;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Where the service is, and as whom to speak to it.
 *
 * @param address HOST:PORT, or {@code unix:} and a path.
 * @param token The bot's token, or one for a seat of a match.
 * @param secure Whether to use TLS.
 * @param authorities The authorities to trust; none for those that Java trusts.
 * @param capacity How many matches it plays at once; 0 for any number.
 */
record Endpoint(String address, String token, boolean secure, List<X509Certificate> authorities, int capacity) {
    /** A capacity is no more than this. */
    private static final int MOST_MATCHES = 1_000_000;
    private static final Pattern TOKENS = Pattern.compile("[\\x21-\\x7e]+");
    private static final Pattern LOOPBACK =
            Pattern.compile("unix:.+|(localhost|127(\\.\\d+){3}|\\[::1\\]):\\d+");
    private static final Pattern ADDRESSES = Pattern.compile("unix:.+|([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]):\\d{1,5}");

    /** The environment has to be changed; the message says in one line how. */
    static final class Mistake extends Exception {
        private static final long serialVersionUID = 1;

        private Mistake(String message) {
            super(message);
        }
    }

    /** Whether it is on this machine: a Unix socket, or loopback. */
    boolean isLoopback() {
        return LOOPBACK.matcher(address).matches();
    }

    /** Reads the environment. */
    static Endpoint of(Map<String, String> environment) throws Mistake {
        String token = environment.getOrDefault("FUDABA_TOKEN", "");
        if (token.isEmpty()) {
            throw new Mistake("set FUDABA_TOKEN to your bot's token");
        }
        if (!TOKENS.matcher(token).matches()) {
            throw new Mistake("FUDABA_TOKEN has blanks or characters that no token has; copy it again");
        }
        String given = environment.getOrDefault("FUDABA_SERVER", "");
        String address = given.isEmpty() ? "127.0.0.1:7710" : given;
        if (!ADDRESSES.matcher(address).matches() || !address.startsWith("unix:") && portOf(address) > 65_535) {
            throw new Mistake("FUDABA_SERVER is \"" + address + "\"; write HOST:PORT, or unix:/path/to/socket");
        }
        String authority = environment.getOrDefault("FUDABA_CA_CERT", "");
        boolean secure = !authority.isEmpty() || !environment.getOrDefault("FUDABA_TLS", "").isEmpty();
        int capacity = capacityOf(environment.getOrDefault("FUDABA_CAPACITY", ""));
        List<X509Certificate> authorities = authority.isEmpty() ? List.of() : certificates(authority);
        return new Endpoint(address, token, secure, authorities, capacity);
    }

    private static int capacityOf(String given) throws Mistake {
        int capacity = given.matches("\\d{0,7}") ? Integer.parseInt("0" + given) : MOST_MATCHES + 1;
        if (capacity > MOST_MATCHES) {
            throw new Mistake(
                    "FUDABA_CAPACITY is \"" + given + "\"; write how many matches at once, up to " + MOST_MATCHES);
        }
        return capacity;
    }

    private static List<X509Certificate> certificates(String path) throws Mistake {
        byte[] content;
        try {
            content = Files.readAllBytes(Path.of(path));
        } catch (IOException | InvalidPathException error) {
            throw new Mistake("FUDABA_CA_CERT names " + path + ", which cannot be read (" + error + ")");
        }
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            Collection<?> found = factory.generateCertificates(new ByteArrayInputStream(content));
            if (!found.isEmpty()) {
                return found.stream().map(X509Certificate.class::cast).toList();
            }
        } catch (CertificateException error) {
            // It holds something else; told below.
        }
        throw new Mistake("FUDABA_CA_CERT names " + path + ", which holds no certificate; it wants a PEM file");
    }

    private static int portOf(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    /** The host of an address of a network, without the brackets of IPv6. */
    String host() {
        return address.substring(0, address.lastIndexOf(':')).replaceAll("^\\[|\\]$", "");
    }

    int port() {
        return portOf(address);
    }

    /** The path of the socket; empty for an address of a network. */
    String socket() {
        return address.startsWith("unix:") ? address.substring("unix:".length()) : "";
    }
}
