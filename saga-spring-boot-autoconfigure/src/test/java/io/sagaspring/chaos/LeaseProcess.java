package io.sagaspring.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseLostException;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.LeaseStore;
import io.sagaspring.lease.redis.RedisLeaseStore;
import io.sagaspring.lease.redis.TestRedis;
import io.sagaspring.schema.SagaSchema;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A holder of leases in its own JVM. It reads commands, and ends with the process that started it. */
final class LeaseProcess {

    private static final Duration RETENTION = Duration.ofDays(30);

    private final Properties settings = new Properties();
    private final PrintStream output;
    private final LeaseStore store;
    private final LeaseManager leases;

    private LeaseProcess(String[] arguments, PrintStream output) {
        for (String argument : arguments) {
            String[] setting = argument.split("=", 2);
            settings.setProperty(setting[0], setting[1]);
        }
        this.output = output;
        this.store = store();
        Duration ttl = Duration.parse(setting("ttl"));
        Keeper keeper = new Keeper(
                new DriverManagerDataSource(address("database")), ttl.dividedBy(3), ElapsedClock.OF_THIS_MACHINE);
        keeper.start();
        this.leases = new LeaseManager(store, keeper, setting("node"), ttl, List.of());
    }

    /** Returns the address of a server. If a cable leads to the server, the address has the port of the cable. */
    private String address(String name) {
        String port = setting("through");
        return port.isEmpty() ? setting(name) : setting(name).replaceFirst(":[0-9]+", ":" + port);
    }

    private String setting(String name) {
        return settings.getProperty(name, "");
    }

    private static HikariDataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(2);
        pool.setMinimumIdle(0);
        return pool;
    }

    private LeaseStore store() {
        if (!setting("redis").isEmpty()) {
            return new RedisLeaseStore(TestRedis.connect(URI.create(address("redis"))), RETENTION);
        }
        DataSource pool = pool(address("database"));
        return LeaseStore.onPostgres(SagaSchema.migrate(pool, null), new OwnTransactions(pool), pool, RETENTION);
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        LeaseProcess process = new LeaseProcess(arguments, output);
        output.println("READY " + System.currentTimeMillis());
        try (Scanner commands = new Scanner(System.in, StandardCharsets.UTF_8)) {
            while (commands.hasNextLine()) {
                String[] words = commands.nextLine().split(" ");
                Thread work = new Thread(() -> process.obey(words), words[0]);
                work.setDaemon(true);
                work.start();
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private void obey(String[] words) {
        try {
            LeaseName name = new LeaseName(words[1]);
            switch (words[0]) {
                case "race" -> race(name, Long.parseLong(words[2]), Long.parseLong(words[3]));
                case "hold" -> hold(name);
                default -> throw new IllegalArgumentException(words[0]);
            }
        } catch (Exception failed) {
            failed.printStackTrace();
            output.println("FAILED " + failed);
        }
    }

    private void race(LeaseName name, long rounds, long seed) {
        new LeaseRacer(store, leases, setting("node"), new LeaseHistory(Path.of(setting("directory"))))
                .race(name, rounds, seed);
        output.println("RACED");
    }

    /** Works until this holder is notified that the lease is lost, and then still tries to write. */
    private void hold(LeaseName name) throws Exception {
        Lease lease = leases.acquire(name);
        output.println("HOLDS " + lease.token());
        try {
            lease.during(() -> {
                new CountDownLatch(1).await();
                return "done";
            });
        } catch (LeaseLostException lost) {
            output.println("LOST " + lost.getMessage());
        }
        output.println("WROTE " + Sink.at(setting("sink")).write(lease.token(), setting("node")));
    }

    /** Another system. It stores the latest write and its token, and refuses a write with a lower token. */
    record Sink(JdbcClient database) {

        static Sink at(String url) {
            return new Sink(JdbcClient.create(new DriverManagerDataSource(url)));
        }

        void create() {
            database.sql("CREATE TABLE sink AS SELECT 0::bigint AS token, '' AS written")
                    .update();
        }

        int write(FencingToken token, String text) {
            return database.sql("UPDATE sink SET token = ?, written = ? WHERE token <= ?")
                    .params(token.value(), text, token.value())
                    .update();
        }

        String written() {
            return database.sql("SELECT written FROM sink").query(String.class).single();
        }
    }
}
