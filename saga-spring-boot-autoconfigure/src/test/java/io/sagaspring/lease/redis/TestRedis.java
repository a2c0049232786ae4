package io.sagaspring.lease.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import redis.embedded.RedisServer;

/** The Redis at {@code -Dsaga.test.redis.url=redis://…}, else one of our own, which is there as long as this process. */
public final class TestRedis {

    private static final URI address = address();

    private TestRedis() {}

    /** Where it is. */
    public static URI url() {
        return address;
    }

    /** Connected by itself, as another process would be. */
    public static StringRedisTemplate connect() {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(address.getHost(), address.getPort()));
        connections.afterPropertiesSet();
        connections.start();
        return new StringRedisTemplate(connections);
    }

    private static URI address() {
        String given = System.getProperty("saga.test.redis.url", "");
        return URI.create(given.isBlank() ? "redis://127.0.0.1:" + started() : given);
    }

    private static int started() {
        try {
            int port = freePort();
            RedisServer server = RedisServer.newRedisServer()
                    .port(port)
                    .setting("bind 127.0.0.1")
                    .setting("save \"\"")
                    .build();
            server.start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server), "stop-redis"));
            return port;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void stop(RedisServer server) {
        try {
            server.stop();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0)) {
            return probe.getLocalPort();
        }
    }
}
