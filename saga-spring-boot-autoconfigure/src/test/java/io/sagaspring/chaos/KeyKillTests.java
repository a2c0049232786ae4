package io.sagaspring.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.chaos.Journal.Entry;
import io.sagaspring.chaos.Journal.What;
import io.sagaspring.idempotency.DuplicateRequestException;
import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.KeyedWork;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Scale;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests requests with idempotency keys in processes that are killed at any moment. A reply that was sent stays the
 * same. With a same-transaction key, the effect exists if and only if the reply exists. Any other key is free again
 * after its lease.
 */
@Tag("chaos")
class KeyKillTests {

    private static final int CYCLES = Scale.times(3);
    private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());
    private static final int REQUESTS = 400;
    private static final String[] HASTY = {"saga.idempotency.lease-ttl=1s"};

    private static final TestDatabase database = Depot.database();
    private static final JdbcClient client = JdbcClient.create(database.dataSource());
    private static final Journal journal = Journal.create();

    @AfterAll
    static void close() {
        database.close();
        journal.delete();
    }

    @Test
    void killsLoseNoReplyAndLeaveNoEffectWithoutAReply() throws Exception {
        Random random = new Random(SEED);
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            try (ForkedDepot node = ForkedDepot.start(database, journal, "teller-" + cycle, HASTY)) {
                node.ready().send("deposits 8 %d".formatted(REQUESTS));
                node.await("WORKS");
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20 + random.nextInt(300)));
            }
            assertThat(effects()).as("with -Dchaos.seed=%d", SEED).isEqualTo(replies());
        }
        assertThat(effects()).isNotEmpty();

        try (Depot survivor = Depot.open(database, journal, "survivor", HASTY)) {
            Teller teller = survivor.bean(Teller.class);
            Teller.OWNER.set("killed");
            for (long number = 1; number <= REQUESTS; number++) {
                journal.write(What.DONE, "survivor", number, "deposit|" + teller.deposit(number));
                // The call waits at most until the lease of a killed process ends.
                journal.write(What.DONE, "survivor", number, "credit|" + teller.credit(number));
            }
        }
        assertThat(effects()).hasSize(REQUESTS).isEqualTo(replies());
        Map<String, List<String>> replied = journal.entries().stream()
                .filter(entry -> entry.what() == What.DONE)
                .collect(Collectors.groupingBy(
                        entry -> entry.key().split("\\|", -1)[0] + entry.crate(),
                        Collectors.mapping(Entry::key, Collectors.toList())));
        assertThat(replied).hasSize(2 * REQUESTS);
        replied.forEach((request, slips) -> assertThat(slips).as(request).containsOnly(slips.get(0)));
    }

    /** The result depends neither on the patience of the waiting callers nor on how often the lease is renewed. */
    @Test
    void workThatOutlastsManyLeasesStartsOnlyOnce() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        try (Depot node = Depot.open(database, journal, "patient", HASTY)) {
            Idempotency idempotency = node.bean(Idempotency.class);
            IdempotencyKey key = IdempotencyKey.of("last", "request");
            KeyedWork<String, RuntimeException> work = () -> {
                begun.incrementAndGet();
                DepotProcess.awaitUninterruptibly(mayEnd);
                return "lasted";
            };
            CompletableFuture<String> first = OwnThread.call(() -> idempotency.execute(key, String.class, work));
            Awaitility.await().until(() -> begun.get() == 1);
            CompletableFuture<String> patientCaller = OwnThread.call(
                    () -> idempotency.waiting(Duration.ofMinutes(2)).execute(key, String.class, work));
            for (Duration patience : List.of(Duration.ZERO, Duration.ofMillis(900), Duration.ofMillis(3_500))) {
                assertThatExceptionOfType(DuplicateRequestException.class)
                        .isThrownBy(() -> idempotency.waiting(patience).execute(key, String.class, work));
            }
            mayEnd.countDown();

            assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo("lasted");
            assertThat(patientCaller.get(20, TimeUnit.SECONDS)).isEqualTo("lasted");
        }
        assertThat(begun).hasValue(1);
    }

    /** Returns the request's number for each effect. A request has at most one effect. */
    private static List<Long> effects() {
        return client.sql("SELECT number FROM deposit ORDER BY number")
                .query(Long.class)
                .list();
    }

    private static List<Long> replies() {
        return client.sql("""
                        SELECT substring(request_id FROM 9)::bigint AS number FROM saga_idempotency_key
                        WHERE operation = 'deposit' AND lease_until IS NULL ORDER BY number""").query(Long.class).list();
    }
}
