package io.sagaspring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.chaos.Journal.Entry;
import io.sagaspring.chaos.Journal.What;
import io.sagaspring.shop.Scale;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests keys that four processes with sixteen threads each send repeatedly, for two key owners that use the same
 * request ids.
 */
@Tag("chaos")
class KeyRaceTests {

    private static final int NODES = 4;
    private static final int THREADS = 16;
    private static final int REQUESTS = Scale.times(625);
    private static final int TIMES = 10;
    private static final String[] PATIENT = {"saga.idempotency.lease-ttl=30s"};

    private static final TestDatabase database = Depot.database();
    private static final Journal journal = Journal.create();

    @AfterAll
    static void close() {
        database.close();
        journal.delete();
    }

    @Test
    void theRequestsOfAKeyAreExecutedOnceAndGetEqualReplies() throws Exception {
        List<ForkedDepot> nodes = new ArrayList<>();
        try {
            for (int number = 0; number < NODES; number++) {
                nodes.add(ForkedDepot.start(database, journal, "teller-" + number, PATIENT));
            }
            for (ForkedDepot node : nodes) {
                node.ready();
            }
            for (int number = 0; number < NODES; number++) {
                nodes.get(number).send("credits %d %d %d %d %d".formatted(THREADS, number, NODES, REQUESTS, TIMES));
            }
            for (ForkedDepot node : nodes) {
                assertThat(node.await("RACED")).isEqualTo("replied=" + 2 * REQUESTS * TIMES / NODES);
            }
        } finally {
            nodes.forEach(ForkedDepot::close);
        }

        List<Entry> entries = journal.entries();
        List<String> executions = entries.stream()
                .filter(entry -> entry.what() == What.START)
                .map(entry -> entry.key() + " " + entry.crate())
                .toList();
        assertThat(executions).hasSize(2 * REQUESTS).doesNotHaveDuplicates();
        Map<String, List<String>> replies = entries.stream()
                .filter(entry -> entry.what() == What.DONE)
                .collect(Collectors.groupingBy(
                        entry -> entry.key().split("\\|", -1)[0] + " " + entry.crate(),
                        Collectors.mapping(entry -> entry.key().split("\\|", -1)[1], Collectors.toList())));
        assertThat(replies).hasSize(2 * REQUESTS);
        Set<String> marks = new HashSet<>();
        replies.forEach((key, slips) -> {
            assertThat(slips).as(key).hasSize(TIMES).containsOnly(slips.get(0));
            assertThat(slips.get(0)).startsWith(key + " ");
            assertThat(marks.add(slips.get(0))).isTrue();
        });
    }
}
