package io.sagaspring.sample.dunning;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseLostException;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.sample.Api;
import io.sagaspring.sample.Work;
import io.sagaspring.sample.dunning.DunningLoops.Task;
import io.sagaspring.test.database.FreshDatabase;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests each protection of a chain separately, while no node continues loops. The protections are the guard, the
 * transaction around the guard and the write, each of the two conditions of the fence, and the check of the row count.
 * Each test fails without its protection.
 */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"sample.dunning.poll=1d"})
@FreshDatabase
class DunningChainTests {

    private final Api api;
    private final TestDatabase database;
    private final JdbcClient jdbc;
    private final LeaseManager leases;
    private final DunningLoops loops;
    private final DunningChain chain;

    DunningChainTests(
            @LocalServerPort int port,
            @Autowired TestDatabase database,
            @Autowired LeaseManager leases,
            @Autowired DunningLoops loops,
            @Autowired DunningChain chain) {
        this.api = new Api(port);
        this.database = database;
        this.jdbc = JdbcClient.create(database.dataSource());
        this.leases = leases;
        this.loops = loops;
        this.chain = chain;
    }

    @Test
    void aChainThatHasLostItsLeaseCannotTakeALetter() {
        Lease lost = begun("take");
        try (Lease next = takenOverFrom(lost)) {
            requireStopped(() -> chain.take(lost, "take"));

            assertThat(story("take")).isEqualTo("pending null");
            assertThat(chain.take(next, "take")).map(Task::story).contains("s1");
            requireStopped(() -> chain.take(lost, "take"));
            assertThat(story("take")).isEqualTo("in_progress " + next.token());
        }
    }

    @Test
    void aChainThatHasLostItsLeaseNeitherMailsNorPassesALetter() {
        Lease lost = begun("pass");
        chain.take(lost, "pass");
        // The next owner has not reached the letter yet, so the fence would accept this write.
        try (Lease next = takenOverFrom(lost)) {
            requireStopped(() -> chain.pass(lost, "pass", "s1"));

            assertThat(next.token()).isGreaterThan(lost.token());
            assertThat(story("pass")).isEqualTo("in_progress " + lost.token());
            assertThat(api.mails("pass/s1").body()).isEmpty();
        }
    }

    @Test
    void aChainWithAnExpiredLeaseStopsEvenBeforeATakeOver() {
        Lease expired = begun("expired");
        chain.take(expired, "expired");
        expire(expired);

        requireStopped(() -> chain.pass(expired, "expired", "s1"));
        requireStopped(() -> chain.isLeftAfterAdding(expired, "expired", List.of("s2"), Duration.ZERO));

        assertThat(loops.stories("expired")).hasSize(1);
        assertThat(api.mails("expired/s1").body()).isEmpty();
    }

    @Test
    void noNodeCanTakeOverBetweenTheGuardAndTheWrite() {
        try (Lease lease = begun("between")) {
            chain.take(lease, "between");
            CompletableFuture<?>[] passing = new CompletableFuture<?>[1];
            Work.whileLocked(database, "LOCK TABLE effects.effect IN SHARE MODE", () -> {
                passing[0] = CompletableFuture.runAsync(() -> chain.pass(lease, "between", "s1"));
                await().atMost(30, SECONDS).until(this::isMailWaiting);

                assertThat(jdbc.sql("SELECT name FROM saga_lease WHERE name = ? FOR UPDATE SKIP LOCKED")
                                .param(lease.name().value())
                                .query(String.class)
                                .list())
                        .isEmpty();
            });
            passing[0].join();
            assertThat(chain.isLeftAfterAdding(lease, "between", List.of("s1"), Duration.ZERO))
                    .isFalse();
        }
        assertThat(story("between")).startsWith("passed");
        assertThat(api.mails("between/s1").body()).hasSize(1);
    }

    @Test
    void aLetterRefusesALowerTokenAndAnyWriteAfterItHasPassed() {
        loops.add("fence", List.of("s1"), Duration.ZERO);
        assertThat(loops.take("fence", "s1", new FencingToken(7), "old")).isTrue();
        assertThat(loops.take("fence", "s1", new FencingToken(9), "new")).isTrue();

        assertThat(loops.take("fence", "s1", new FencingToken(7), "old")).isFalse();
        assertThat(loops.pass("fence", "s1", new FencingToken(7), "old")).isFalse();
        assertThat(story("fence")).isEqualTo("in_progress 9");
        assertThat(loops.pass("fence", "s1", new FencingToken(9), "new")).isTrue();
        assertThat(loops.pass("fence", "s1", new FencingToken(9), "new")).isFalse();
        assertThat(loops.take("fence", "s1", new FencingToken(11), "newer")).isFalse();
        assertThat(story("fence")).isEqualTo("passed 9");
    }

    /** Only the fence protects a letter if the guard cannot lock the lease, for example on Redis. */
    @Test
    void aLetterThatTheFenceRefusesIsNotMailed() {
        try (Lease lease = begun("refused")) {
            chain.take(lease, "refused");
            jdbc.sql("UPDATE dunning_story SET token = token + 1 WHERE loop_id = 'refused'")
                    .update();

            requireRefused(() -> chain.pass(lease, "refused", "s1"));
            requireRefused(() -> chain.take(lease, "refused"));

            assertThat(story("refused"))
                    .isEqualTo("in_progress " + (lease.token().value() + 1));
            assertThat(api.mails("refused/s1").body()).isEmpty();
        }
    }

    @Test
    void aLetterDoesNotPassIfItsMailFails() {
        try (Lease lease = begun("broken")) {
            chain.take(lease, "broken");
            jdbc.sql("ALTER TABLE effects.effect ADD CONSTRAINT broken CHECK (ref <> 'broken/s1')")
                    .update();

            assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> chain.pass(lease, "broken", "s1"));
            jdbc.sql("ALTER TABLE effects.effect DROP CONSTRAINT broken").update();

            assertThat(story("broken")).isEqualTo("in_progress " + lease.token());
        }
    }

    private Lease begun(String loop) {
        Lease lease = leases.acquire(LeaseName.of("dunning", loop));
        assertThat(chain.isLeftAfterAdding(lease, loop, List.of("s1"), Duration.ZERO))
                .isTrue();
        return lease;
    }

    private Lease takenOverFrom(Lease lease) {
        expire(lease);
        return leases.acquire(lease.name());
    }

    private void expire(Lease lease) {
        assertThat(jdbc.sql("UPDATE saga_lease SET expires_at = clock_timestamp() WHERE name = ?")
                        .param(lease.name().value())
                        .update())
                .isOne();
    }

    private boolean isMailWaiting() {
        return jdbc.sql(
                        "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'effects.effect'::regclass)")
                .query(Boolean.class)
                .single();
    }

    private String story(String loop) {
        var story = loops.stories(loop).get(0);
        return "%s %s".formatted(story.status(), story.token());
    }

    private static void requireStopped(Runnable write) {
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(write::run);
    }

    private static void requireRefused(Runnable write) {
        assertThatExceptionOfType(StoryRefusedException.class).isThrownBy(write::run);
    }
}
