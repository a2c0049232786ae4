package io.sagaspring.benchmarks;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;

/**
 * Counts the statements that this process sends to PostgreSQL, and their round trips. The counter reads the messages
 * themselves, so it includes everything that a driver, a pool or a framework adds, on any thread.
 */
public final class WireCounter extends SocketFactory {

    /**
     * The driver setting that names this class, so that the driver creates its sockets with it. Encryption is off,
     * because it would hide the messages.
     */
    static final String DRIVER_SETTING =
            "sslmode=disable&gssEncMode=disable&socketFactory=" + WireCounter.class.getName();

    private static final AtomicLong statements = new AtomicLong();
    private static final AtomicLong roundTrips = new AtomicLong();

    /** Called by the driver. */
    public WireCounter() {}

    record Counts(long statements, long roundTrips) {

        Counts minus(Counts other) {
            return new Counts(statements - other.statements, roundTrips - other.roundTrips);
        }
    }

    /** Returns the counts so far. */
    static Counts sent() {
        return new Counts(statements.get(), roundTrips.get());
    }

    private static void countMessage(int type) {
        if (type == 'E' || type == 'Q') {
            statements.incrementAndGet();
        }
    }

    @Override
    public Socket createSocket() {
        return new CountedSocket();
    }

    private static final class CountedSocket extends Socket {

        private boolean answerAwaited;

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new Messages(super.getOutputStream(), () -> answerAwaited = true);
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int offset, int count) throws IOException {
                    if (answerAwaited) {
                        answerAwaited = false;
                        roundTrips.incrementAndGet();
                    }
                    return in.read(bytes, offset, count);
                }
            };
        }
    }

    /**
     * Counts the messages that execute a statement. Each message has a type and then its length, which includes the
     * four bytes of the length. The first message of a connection has no type.
     */
    private static final class Messages extends FilterOutputStream {

        private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
        private boolean typed = true;
        private int remaining;

        private final Runnable onWrite;

        Messages(OutputStream out, Runnable onWrite) {
            super(out);
            this.onWrite = onWrite;
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            for (int at = offset; at < offset + count; at++) {
                if (remaining > 0) {
                    int skipped = Math.min(remaining, offset + count - at);
                    remaining -= skipped;
                    at += skipped - 1;
                } else {
                    header(bytes[at]);
                }
            }
            out.write(bytes, offset, count);
            onWrite.run();
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        private void header(byte next) {
            if (!typed) {
                countMessage(next);
                typed = true;
                return;
            }
            length.put(next);
            if (!length.hasRemaining()) {
                remaining = length.flip().getInt() - Integer.BYTES;
                length.clear();
                typed = false;
            }
        }
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw new IOException("This method is not supported, because the driver connects the socket itself.");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket(host.getHostName(), port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        return createSocket(host, port);
    }
}
