package io.sagaspring.lease.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Forwards data between a client and Redis, and delays each transmission to the server. */
final class SlowLink implements AutoCloseable {

    private final URI server;
    private final Duration delay;
    private final ServerSocket listening;
    private final AtomicInteger trips = new AtomicInteger();

    SlowLink(URI server, Duration delay) {
        this.server = server;
        this.delay = delay;
        try {
            this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        daemon(this::accept);
    }

    URI url() {
        return URI.create("redis://127.0.0.1:" + listening.getLocalPort());
    }

    /** Returns how often data was sent to the server. */
    int trips() {
        return trips.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket redis = new Socket(server.getHost(), server.getPort());
                client.setTcpNoDelay(true);
                redis.setTcpNoDelay(true);
                daemon(() -> pass(client, redis, true));
                daemon(() -> pass(redis, client, false));
            }
        } catch (IOException closed) {
            // The link was closed.
        }
    }

    private void pass(Socket from, Socket to, boolean slowly) {
        byte[] buffer = new byte[1 << 20];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (slowly) {
                    trips.incrementAndGet();
                    LockSupport.parkNanos(delay.toNanos());
                }
                out.write(buffer, 0, read);
                out.flush();
            }
        } catch (IOException closed) {
            // One of the two sides has closed its connection.
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "slow-link");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
