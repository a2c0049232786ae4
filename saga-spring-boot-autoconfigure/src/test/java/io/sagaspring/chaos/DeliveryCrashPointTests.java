package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Scale;
import io.sagaspring.test.database.TestDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests durable listeners whose nodes die: at a named point, or at any time. Each committed event is delivered at least
 * once, the events of a key are delivered in their order, and no other event is delivered. A transactional listener books each committed
 * event exactly once.
 */
@Tag("chaos")
class DeliveryCrashPointTests {

    private static final int KEYS = 5;

    private static TestDatabase database;
    private static JdbcClient client;
    private static Path logs;
    private static int forked;

    private final List<ForkedProcess> processes = new ArrayList<>();

    record Letter(String letter, int number) {}

    @BeforeAll
    static void start(@TempDir Path directory) {
        logs = directory;
        database = TestDatabase.create(MigratedSchema.class);
        client = JdbcClient.create(database.dataSource());
        PostOffice.createTables(client);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void empty() {
        int unused = client.sql("TRUNCATE counter, posted, booked, effect_received, saga_delivery")
                .update();
    }

    @AfterEach
    void closeProcesses() {
        processes.forEach(ForkedProcess::close);
    }

    private ForkedProcess fork() throws InterruptedException {
        String name = "post-" + forked++;
        List<String> command = new ArrayList<>(ForkedJvm.command(PostProcess.class));
        command.addAll(List.of(name, LeaseHolders.url(database)));
        ForkedProcess process = ForkedProcess.start(name, logs.resolve(name + ".log"), command, Map.of());
        processes.add(process);
        String unused = process.await("READY");
        return process;
    }

    private static List<Letter> letters(String query) {
        return client.sql(query).query(Letter.class).list();
    }

    private static List<Letter> posted() {
        return letters("SELECT letter, number FROM posted ORDER BY letter, number");
    }

    private static void awaitEnd() {
        await().atMost(120, SECONDS)
                .until(() -> client.sql("SELECT count(*) FROM saga_delivery")
                                .query(Long.class)
                                .single()
                        == 0);
    }

    /** Compares the first deliveries of all events with the commits of their publishers. */
    private static void requireAllInOrder(int interruptions) {
        List<Letter> first =
                letters("SELECT letter, number FROM effect_received GROUP BY letter, number ORDER BY min(id)");
        Map<String, List<Integer>> received = first.stream()
                .collect(
                        Collectors.groupingBy(Letter::letter, Collectors.mapping(Letter::number, Collectors.toList())));
        Map<String, List<Integer>> sent = posted().stream()
                .collect(
                        Collectors.groupingBy(Letter::letter, Collectors.mapping(Letter::number, Collectors.toList())));
        assertThat(received).isEqualTo(sent);
        long all = client.sql("SELECT count(*) FROM effect_received")
                .query(Long.class)
                .single();
        assertThat(all - first.size()).isLessThanOrEqualTo(interruptions);
        long keys = client.sql("SELECT count(DISTINCT delivery_key) FROM effect_received")
                .query(Long.class)
                .single();
        assertThat(keys).isEqualTo(first.size());
        assertThat(letters("SELECT letter, number FROM booked ORDER BY letter, number"))
                .isEqualTo(posted());
    }

    @ParameterizedTest
    @EnumSource
    void anotherNodeDeliversTheEventsThatTheDeadNodeCommitted(DeliveryCrashPoint point) throws Exception {
        ForkedProcess victim = fork();
        victim.send("post 6 1 0");
        String unused = victim.await("OK post");
        victim.send("crash " + point);
        assertThat(victim.awaitEnd()).isEqualTo(137);
        assertThat(posted()).hasSize(point == DeliveryCrashPoint.PUBLISH_U ? 7 : 6);

        try (PostOffice survivor = new PostOffice("survivor", LeaseHolders.url(database)).opened()) {
            survivor.post("key-0");
            awaitEnd();
        }

        requireAllInOrder(1);
    }

    /** Nodes that publish and deliver events are killed and replaced, or frozen until their leases have ended. */
    @Test
    void noEventIsLostOrDeliveredOutOfOrderWhileNodesAreKilledOrFrozen() throws Exception {
        long seed = Long.getLong("chaos.seed", System.nanoTime());
        Random random = new Random(seed);
        List<ForkedProcess> nodes = new ArrayList<>();
        for (int node = 0; node < 4; node++) {
            nodes.add(working(random));
        }
        Zombies zombies = new Zombies();
        int kills = Scale.times(8);
        for (int kill = 0; kill < kills; kill++) {
            long letters = received() + 20 + random.nextInt(60);
            zombies.freeze(nodes.get(random.nextInt(nodes.size())));
            await().atMost(60, SECONDS).until(() -> {
                zombies.thawOverdue();
                return received() >= letters;
            });
            nodes.remove(random.nextInt(nodes.size())).kill();
            nodes.add(working(random));
        }
        zombies.thawAll();
        for (ForkedProcess each : nodes) {
            String unused = each.await("OK post");
        }
        awaitEnd();

        // A node that died or froze may have been in the middle of a delivery in each of its four slots.
        requireAllInOrder((kills + zombies.count()) * 4);
    }

    private static long received() {
        return client.sql("SELECT count(*) FROM effect_received")
                .query(Long.class)
                .single();
    }

    private ForkedProcess working(Random random) throws InterruptedException {
        ForkedProcess node = fork();
        node.send("open");
        node.send("post 300 " + KEYS + " " + random.nextLong());
        return node;
    }
}
