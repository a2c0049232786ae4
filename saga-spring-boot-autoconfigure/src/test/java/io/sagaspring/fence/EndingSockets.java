package io.sagaspring.fence;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Opens sockets on which the stack overflows once, as it does when a caller leaves too little stack for the driver. The
 * driver creates this factory.
 */
public final class EndingSockets extends SocketFactory {

    private static final AtomicReference<@Nullable End> next = new AtomicReference<>();

    /** The moment at which the stack overflows. */
    public enum End {
        /** Before the statement leaves the driver's buffer. */
        WRITING,
        /** Before the driver reads the reply. */
        READING
    }

    static void next(End end) {
        next.set(end);
    }

    private static void overflowAt(End end) {
        if (next.compareAndSet(end, null)) {
            throw new StackOverflowError("while " + end);
        }
    }

    @Override
    public Socket createSocket() {
        return new EndingSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw new UnsupportedOperationException();
    }

    private static final class EndingSocket extends Socket {

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    overflowAt(End.READING);
                    return super.read(bytes, offset, length);
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    overflowAt(End.WRITING);
                    out.write(bytes, offset, length);
                }
            };
        }
    }
}
