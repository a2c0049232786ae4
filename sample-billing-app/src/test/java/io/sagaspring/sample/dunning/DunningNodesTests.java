package io.sagaspring.sample.dunning;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.fence.Keeper;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.sample.Api;
import io.sagaspring.sample.SampleNodes;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Tests chains whose node closes, loses a lease, or can no longer renew its leases. */
class DunningNodesTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(ConfigurableApplicationContext::close);
        jdbc.sql("TRUNCATE saga_lease, dunning_loop CASCADE").update();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    /**
     * If an interrupted chain did not release its lease, another node would have to wait until the lease expires, after
     * 30 s.
     */
    @Test
    void whenANodeClosesAnotherNodeContinuesItsChainImmediately() {
        ConfigurableApplicationContext closing = node();
        Api other = SampleNodes.api(node("--sample.dunning.poll=200ms"));
        AtomicLong started = new AtomicLong();
        // The first letter must be quick. The second letter must be slow while this node works on it.
        Work.whileLocked(database, Work.NO_EFFECTS, () -> {
            started.set(start(SampleNodes.api(closing), "closing", "\"s1\",\"s2\"", 1));
            Work.awaitWaiting(database, "effects.effect", 1);
            setPace("closing", 60_000);
        });
        long token = started.get();
        await().atMost(30, SECONDS)
                .until(() ->
                        story(other, "closing", 1).path("status").asString().equals("in_progress"));
        setPace("closing", 1);

        closing.close();

        await().atMost(15, SECONDS).until(() -> isPassed(other, "closing"));
        assertThat(story(other, "closing", 0).path("token").asLong()).isEqualTo(token);
        assertThat(story(other, "closing", 1).path("token").asLong()).isGreaterThan(token);
        requireOneMail(other, "closing/s1", "closing/s2");
    }

    /** The test fails if the leases of waiting chains are not released. */
    @Test
    void aClosingNodeReleasesChainsThatWaitForAThread() {
        ConfigurableApplicationContext closing = node();
        Api api = SampleNodes.api(closing);
        for (int loop = 0; loop < 70; loop++) {
            start(api, "waiting-" + loop, "\"s1\"", 60_000);
        }
        assertThat(leasesHeld()).isEqualTo(70);

        closing.close();

        assertThat(leasesHeld()).isZero();
    }

    /** Without {@code lease.during}, the chain would continue for an hour. */
    @Test
    void aChainThatHasLostItsLeaseIsInterrupted() {
        Api api = SampleNodes.api(node("--saga.leases.ttl=1s", "--sample.dunning.poll=200ms"));
        LeaseManager other =
                node("--saga.leases.ttl=1s", "--sample.dunning.poll=1d").getBean(LeaseManager.class);
        start(api, "lost", "\"s1\"", 3_600_000);
        await().atMost(30, SECONDS)
                .until(() -> story(api, "lost", 0).path("status").asString().equals("in_progress"));
        jdbc.sql("UPDATE saga_lease SET expires_at = clock_timestamp()").update();

        Lease next = other.acquire(LeaseName.of("dunning", "lost"));
        next.close();

        // A node does not start a second chain for a loop, so the first chain must have been interrupted.
        await().atMost(30, SECONDS)
                .until(() -> story(api, "lost", 0).path("token").asLong()
                        > next.token().value());
        assertThat(api.mails("lost/s1").body()).isEmpty();
    }

    /**
     * The end of the node's keeper interrupts the work, so neither guard nor fence is tested here.
     * {@code LostLeasesTests} tests the guard.
     */
    @Test
    void lettersOfANodeThatCannotRenewItsLeaseAreMailedOnce() {
        String[] settings = {"--saga.leases.ttl=1s", "--sample.dunning.poll=200ms"};
        ConfigurableApplicationContext zombie = node(settings);
        Api other = SampleNodes.api(node(settings));
        long token = start(SampleNodes.api(zombie), "zombie", "\"s1\",\"s2\"", 2500);

        zombie.getBean(Keeper.class).close();

        await().atMost(30, SECONDS)
                .until(() -> story(other, "zombie", 0).path("token").asLong() > token);
        setPace("zombie", 1);
        await().atMost(30, SECONDS).until(() -> isPassed(other, "zombie"));
        assertThat(story(other, "zombie", 0).path("token").asLong()).isGreaterThan(token);
        requireOneMail(other, "zombie/s1", "zombie/s2");
    }

    private ConfigurableApplicationContext node(String... settings) {
        ConfigurableApplicationContext node = SampleNodes.start(database, settings);
        nodes.add(node);
        return node;
    }

    private static long start(Api api, String loop, String stories, long millis) {
        var answer = api.post(
                "/api/dunning/%s/start".formatted(loop),
                "{\"stories\":[%s],\"stepMillis\":%d}".formatted(stories, millis));
        assertThat(answer.status()).as(answer::raw).isEqualTo(202);
        return answer.body().path("token").asLong();
    }

    /** Sets the duration of each letter that begins from now on. */
    private void setPace(String loop, long millis) {
        jdbc.sql("UPDATE dunning_loop SET step_millis = ? WHERE id = ?")
                .param(millis)
                .param(loop)
                .update();
    }

    private static JsonNode story(Api api, String loop, int number) {
        return api.get("/api/dunning/" + loop).body().path("stories").path(number);
    }

    private static boolean isPassed(Api api, String loop) {
        return api.get("/api/dunning/" + loop).text("state").equals("passed");
    }

    private static void requireOneMail(Api api, String... refs) {
        for (String ref : refs) {
            assertThat(api.mails(ref).texts("key")).containsExactly("dunning:" + ref);
        }
    }

    private long leasesHeld() {
        return jdbc.sql("SELECT count(*) FROM saga_lease WHERE expires_at > clock_timestamp()")
                .query(Long.class)
                .single();
    }
}
