package io.sagaspring.lease.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import redis.embedded.RedisServer;

/**
 * Finds the Redis server at {@code -Dsaga.test.redis.url=redis://…}, or else starts one in Docker or as an embedded
 * server. A server that this class starts runs until this process ends.
 */
public final class TestRedis {

    private static final int PORT = 6379;
    private static final URI address = address();

    private TestRedis() {}

    /** Returns the address of the server. */
    public static URI url() {
        return address;
    }

    /** Connects with a separate client, as another process would. */
    public static StringRedisTemplate connect() {
        return connect(address);
    }

    /** Connects to the server at an address, regardless of the process that started it. */
    public static StringRedisTemplate connect(URI address) {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(address.getHost(), address.getPort()));
        connections.afterPropertiesSet();
        connections.start();
        return new StringRedisTemplate(connections);
    }

    private static URI address() {
        String given = System.getProperty("saga.test.redis.url", "");
        if (!given.isBlank()) {
            return URI.create(given);
        }
        return DockerClientFactory.instance().isDockerAvailable()
                ? inDocker()
                : URI.create("redis://127.0.0.1:" + started());
    }

    @SuppressWarnings("resource") // Testcontainers stops the container when this process ends.
    private static URI inDocker() {
        GenericContainer<?> container = new GenericContainer<>("redis:8").withExposedPorts(PORT);
        container.start();
        return URI.create("redis://%s:%d".formatted(container.getHost(), container.getMappedPort(PORT)));
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
