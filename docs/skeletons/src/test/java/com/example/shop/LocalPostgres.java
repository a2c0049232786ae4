package com.example.shop;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.CountDownLatch;

/** A PostgreSQL for who has none. It stays when the application dies, and ends with its data when it is stopped itself. */
class LocalPostgres {

    private static final int PORT = 5432;

    public static void main(String[] args) throws IOException, InterruptedException {
        // Fails if somebody else listens there, whom the next line would take for its own server.
        new ServerSocket(PORT, 0, InetAddress.getLoopbackAddress()).close();
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().setPort(PORT).start()) {
            System.out.printf("PostgreSQL listens on port %d. Stop it with Ctrl-C.%n", server.getPort());
            new CountDownLatch(1).await();
        }
    }
}
