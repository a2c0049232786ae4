package com.example.shop;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** A PostgreSQL for who has none. It stays when the application dies, and ends with its data when it is stopped itself. */
class LocalPostgres {

    public static void main(String[] args) throws IOException, InterruptedException {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().setPort(5432).start()) {
            System.out.printf("PostgreSQL listens on port %d. Stop it with Ctrl-C.%n", server.getPort());
            new CountDownLatch(1).await();
        }
    }
}
