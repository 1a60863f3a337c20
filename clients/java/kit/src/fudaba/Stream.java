package fudaba;

import fudaba.v1.PlayRequest;
import fudaba.v1.PlayResponse;
import fudaba.v1.Welcome;
import fudaba.wire.Input;
import fudaba.wire.Output;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** One Play stream. Everything is done in the loop. */
final class Stream extends ClientCall.Listener<PlayResponse> {
    /** How long the last answers may take to leave when the process stops. */
    static final Duration GOODBYE = Duration.ofSeconds(3);
    /** How long the service may take to answer the first message. */
    private static final Duration WELCOME = Duration.ofSeconds(20);
    /** How long after a welcome every match that the service still knows must have come. */
    private static final Duration MISSING = Duration.ofSeconds(30);
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final MethodDescriptor<PlayRequest, PlayResponse> PLAY = MethodDescriptor
            .newBuilder(new Requests(), new Responses())
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName("fudaba.v1.PlayService/Play")
            .build();

    private final Endpoint endpoint;
    private final Player player;
    private final EventLoop loop;
    private final CompletableFuture<End> ended;
    private final ManagedChannel channel;
    private final ClientCall<PlayRequest, PlayResponse> call;
    private final List<Future<?>> timers = new ArrayList<>();
    private Future<?> patience;
    private boolean welcomed;
    private boolean closed;

    /** Why a stream ended, and whether it was welcomed before. */
    record End(Failure failure, boolean welcomed) {}

    Stream(Endpoint endpoint, Player player, EventLoop loop, CompletableFuture<End> ended) {
        this.endpoint = endpoint;
        this.player = player;
        this.loop = loop;
        this.ended = ended;
        channel = channel();
        call = channel.newCall(PLAY, CallOptions.DEFAULT.withExecutor(loop));
    }

    private ManagedChannel channel() {
        NettyChannelBuilder builder = endpoint.socket().isEmpty()
                ? NettyChannelBuilder.forAddress(endpoint.host(), endpoint.port())
                        .channelType(NioSocketChannel.class)
                : NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(endpoint.socket()))
                        .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
                        .overrideAuthority("localhost");
        if (endpoint.isLoopback()) {
            builder.proxyDetector(target -> null); // none leads to this machine, whatever Java's settings say
        }
        builder.eventLoopGroup(loop).directExecutor().disableServiceConfigLookUp().disableRetry()
                .keepAliveTime(10, TimeUnit.SECONDS).keepAliveTimeout(5, TimeUnit.SECONDS);
        if (!endpoint.secure()) {
            return builder.usePlaintext().build();
        }
        try {
            SslContextBuilder context = GrpcSslContexts.forClient();
            if (!endpoint.authorities().isEmpty()) {
                context.trustManager(endpoint.authorities().toArray(X509Certificate[]::new));
            }
            return builder.sslContext(context.build()).build();
        } catch (IOException error) {
            throw new UncheckedIOException("this Java has no TLS", error);
        }
    }

    void begin() {
        Metadata metadata = new Metadata();
        metadata.put(AUTHORIZATION, "Bearer " + endpoint.token());
        call.start(this, metadata);
        call.request(Integer.MAX_VALUE);
        call.sendMessage(new PlayRequest(player.hello(this::send)));
        patience = after(WELCOME, () -> call.cancel("it takes connections but does not answer", null));
    }

    private void send(PlayRequest.Message message) {
        call.sendMessage(new PlayRequest(message));
    }

    private Future<?> after(Duration delay, Runnable action) {
        Future<?> timer = loop.schedule(action, delay.toMillis(), TimeUnit.MILLISECONDS);
        timers.add(timer);
        return timer;
    }

    /** Sends the last answers and closes its side; the service then ends the stream. */
    void leave() {
        player.takeNoMore();
        player.whenIdle(this::goodbye);
        after(GOODBYE, this::goodbye);
        after(GOODBYE.multipliedBy(2), () -> call.cancel("the service does not end it", null));
    }

    private void goodbye() {
        if (!closed) {
            closed = true;
            player.disconnected();
            call.halfClose();
        }
    }

    @Override
    public void onMessage(PlayResponse response) {
        if (response.message() instanceof Welcome welcome) {
            patience.cancel(false);
            welcomed = true;
            Log.line("connected to " + endpoint.address() + " as " + welcome.bot() + " " + welcome.version());
            if (!welcome.notice().isEmpty()) {
                Log.line(welcome.notice());
            }
            after(MISSING, player::forgetMissing);
        } else {
            player.received(response);
        }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        closed = true;
        timers.forEach(timer -> timer.cancel(false));
        player.disconnected();
        channel.shutdownNow();
        ended.complete(new End(Failure.of(status, trailers), welcomed));
    }

    private static final class Requests implements MethodDescriptor.Marshaller<PlayRequest> {
        @Override
        public InputStream stream(PlayRequest request) {
            return new ByteArrayInputStream(Output.bytes(request));
        }

        @Override
        public PlayRequest parse(InputStream stream) {
            throw new UnsupportedOperationException("no request is received");
        }
    }

    private static final class Responses implements MethodDescriptor.Marshaller<PlayResponse> {
        @Override
        public InputStream stream(PlayResponse response) {
            throw new UnsupportedOperationException("no response is sent");
        }

        @Override
        public PlayResponse parse(InputStream stream) {
            try {
                return PlayResponse.read(new Input(stream.readAllBytes()));
            } catch (IOException error) {
                throw Status.INTERNAL.withDescription("a message that cannot be read").withCause(error)
                        .asRuntimeException();
            }
        }
    }
}
