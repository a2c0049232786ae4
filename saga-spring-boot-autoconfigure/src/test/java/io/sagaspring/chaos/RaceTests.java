package io.sagaspring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.chaos.Journal.What;
import io.sagaspring.shop.Scale;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Lets four processes with sixteen threads each compete for the same entities ({@link Crate}). A round begins when a
 * crate has a status from which a step can start. The round ends with exactly one winner, and every other caller gets
 * {@code ClaimFailed} or {@code NotApplicable}.
 */
@Tag("chaos")
class RaceTests {

    private static final int NODES = 4;
    private static final int THREADS = 16;
    private static final int SPREAD = Scale.times(5_000);
    private static final int HOT = Scale.times(250);

    /** No node dies in this test. A claim must not be reverted because a busy machine pauses briefly. */
    private static final String[] PATIENT = {"saga.janitor.stuck-after=30s", "saga.due.poll-interval=5s"};

    private static final TestDatabase database = Depot.database();
    private static final JdbcClient client = JdbcClient.create(database.dataSource());

    private static final Journal journal = Journal.create();

    @AfterAll
    static void close() {
        database.close();
        journal.delete();
    }

    @Test
    void everyRoundHasExactlyOneWinner() throws Exception {
        client.sql("INSERT INTO crate (status, note, version) SELECT 'HOME', '', 0 FROM generate_series(1, ?)")
                .param(SPREAD + 1)
                .update();
        int hot = SPREAD + 1;
        List<ForkedDepot> nodes = new ArrayList<>();
        try {
            for (int number = 1; number <= NODES; number++) {
                nodes.add(ForkedDepot.start(database, journal, "racer-" + number, PATIENT));
            }
            for (ForkedDepot node : nodes) {
                node.ready();
            }

            Map<String, Long> spread = race("spread", nodes, "spread %d 1 %d".formatted(THREADS, SPREAD));
            assertThat(spread.get("Completed")).isEqualTo(SPREAD);
            assertThat(spread.keySet()).containsOnly("Completed", "ClaimFailed", "NotApplicable");
            assertThat(total(spread)).isEqualTo((long) NODES * SPREAD);

            Map<String, Long> toAndFro = race("hot", nodes, "hot %d %d %d".formatted(THREADS, hot, HOT));
            assertThat(toAndFro.keySet()).containsOnly("Completed", "ClaimFailed", "NotApplicable");

            Inspection inspection = new Inspection(database, journal);
            assertThat(inspection.faults()).isEmpty();
            // Each winner makes two changes, and no other caller makes any.
            assertThat(inspection.crate(hot).version()).isEqualTo(2 * toAndFro.getOrDefault("Completed", 0L));
            assertThat(inspection.count(What.START)).isEqualTo(SPREAD + toAndFro.getOrDefault("Completed", 0L));
            assertThat(client.sql("SELECT count(*) FROM crate WHERE version = 2 AND id < ?")
                            .param(hot)
                            .query(Integer.class)
                            .single())
                    .isEqualTo(SPREAD);
            assertThat(client.sql("SELECT count(*) FROM saga_claim")
                            .query(Integer.class)
                            .single())
                    .isZero();
        } finally {
            for (ForkedDepot node : nodes) {
                node.close();
            }
        }
    }

    private static Map<String, Long> race(String name, List<ForkedDepot> nodes, String command)
            throws InterruptedException {
        long begun = System.nanoTime();
        nodes.forEach(node -> node.send(command));
        Map<String, Long> outcomes = new TreeMap<>();
        for (ForkedDepot node : nodes) {
            Stream.of(node.await("RACED").split(" ", -1))
                    .map(each -> each.split("=", -1))
                    .forEach(each -> outcomes.merge(each[0], Long.parseLong(each[1]), Long::sum));
        }
        double seconds = Duration.ofNanos(System.nanoTime() - begun).toMillis() / 1000.0;
        System.out.printf(
                Locale.ROOT,
                "%s: %d attempts of %d threads in %.1f s, %.0f claims/s: %s%n",
                name,
                total(outcomes),
                NODES * THREADS,
                seconds,
                outcomes.getOrDefault("Completed", 0L) / seconds,
                outcomes);
        return outcomes;
    }

    private static long total(Map<String, Long> outcomes) {
        return outcomes.values().stream().mapToLong(Long::longValue).sum();
    }
}
