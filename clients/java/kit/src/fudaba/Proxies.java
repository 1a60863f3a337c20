package fudaba;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;

/** HTTP proxies on the way to a service. Java's own settings name them, such as {@code -Dhttps.proxyHost}. */
final class Proxies {
    private Proxies() {}

    /** Which proxy a service is reached through, in words for a message; empty if none. None leads to this machine. */
    static String through(Endpoint endpoint) {
        ProxySelector selector = ProxySelector.getDefault();
        if (endpoint.isLoopback() || selector == null) {
            return "";
        }
        try {
            // gRPC asks the same, and takes the first.
            URI asked = new URI("https", null, endpoint.host(), endpoint.port(), null, null, null);
            List<Proxy> found = selector.select(asked);
            return !found.isEmpty() && found.get(0).address() instanceof InetSocketAddress proxy
                    ? ", through the proxy " + proxy.getHostString() + ":" + proxy.getPort() + " (from Java's settings)"
                    : "";
        } catch (URISyntaxException error) {
            return ""; // then gRPC asks for none
        }
    }
}
