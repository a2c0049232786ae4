package io.sagaspring.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Connects to a server until the cable is cut. After that, the cable silently drops all data. */
public final class Cable implements AutoCloseable {

    private final String host;
    private final int port;
    private final ServerSocket entry;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private volatile boolean cut;

    public Cable(String host, int port) throws IOException {
        this.host = host;
        this.port = port;
        this.entry = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        begin(this::accept);
    }

    public int port() {
        return entry.getLocalPort();
    }

    public void cut() {
        cut = true;
    }

    private void accept() throws IOException {
        while (true) {
            Socket near = entry.accept();
            Socket far = new Socket(host, port);
            sockets.add(near);
            sockets.add(far);
            begin(() -> carry(near, far));
            begin(() -> carry(far, near));
        }
    }

    private void carry(Socket from, Socket to) throws IOException {
        byte[] buffer = new byte[8192];
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            if (!cut) {
                out.write(buffer, 0, length);
                out.flush();
            }
        }
        to.close();
    }

    private interface Carrying {
        void run() throws IOException;
    }

    private static void begin(Carrying work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException closed) {
                        // One of the ends has closed its socket.
                    }
                },
                "cable");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            entry.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
