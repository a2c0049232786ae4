package com.example.shop;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;

/**
 * Starts a PostgreSQL server on this machine. The server outlives the application. When the server stops, its data is
 * deleted.
 */
class LocalPostgres {

    private static final int PORT = 5432;

    public static void main(String[] args) throws IOException, SQLException, InterruptedException {
        // Fails if another server uses the port. Without this check, the next line would connect to that server.
        new ServerSocket(PORT, 0, InetAddress.getLoopbackAddress()).close();
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().setPort(PORT).start()) {
            createDatabase(server);
            System.out.printf("PostgreSQL listens on port %d. Stop it with Ctrl-C.%n", server.getPort());
            new CountDownLatch(1).await();
        }
    }

    /** Creates the role without a password, because the embedded server accepts any password from this machine. */
    private static void createDatabase(EmbeddedPostgres server) throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE shop LOGIN");
            statement.execute("CREATE DATABASE shop OWNER shop");
        }
    }
}
