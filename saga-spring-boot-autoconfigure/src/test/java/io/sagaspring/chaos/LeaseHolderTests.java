package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.chaos.LeaseProcess.Sink;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.LeaseStore;
import io.sagaspring.lease.LeaseStore.Attempt;
import io.sagaspring.lease.LeaseStore.Found;
import io.sagaspring.lease.redis.RedisLeaseStore;
import io.sagaspring.lease.redis.TestRedis;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a lease holder that is frozen, and a lease holder that is cut off from the store. */
@Tag("chaos")
@ExpectsErrors("Could not stop postmaster")
class LeaseHolderTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final LeaseName name = LeaseName.of("holder", UUID.randomUUID().toString());

    @AutoClose
    private final TestDatabase elsewhere = TestDatabase.create();

    private final Sink sink = Sink.at(LeaseHolders.url(elsewhere));

    private final Path directory;

    LeaseHolderTests(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeEach
    void create() {
        sink.create();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    private static LeaseStore store(String store) {
        Duration retention = Duration.ofDays(30);
        return store.equals("redis")
                ? new RedisLeaseStore(TestRedis.connect(), retention)
                : LeaseStore.onPostgres(
                        SagaSchema.migrate(database.dataSource(), null),
                        new OwnTransactions(database.dataSource()),
                        database.dataSource(),
                        retention);
    }

    private static Found acquired(LeaseStore store, LeaseName name) {
        Attempt attempt = new Attempt(UUID.randomUUID(), "test", Duration.ofMinutes(1));
        return await().atMost(30, SECONDS)
                .until(
                        () -> store.acquire(name, attempt),
                        found -> found.attempt().equals(attempt.id()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "redis"})
    void aFrozenHolderLearnsThatItLostTheLeaseAndItsWriteIsRefused(String which) throws Exception {
        LeaseStore store = store(which);
        try (ForkedProcess holder = LeaseHolders.start(
                which,
                "frozen",
                directory,
                Duration.ofSeconds(3),
                database,
                Map.of(),
                "sink=" + LeaseHolders.url(elsewhere))) {
            holder.await("READY");
            holder.send("hold " + name);
            long token = Long.parseLong(holder.await("HOLDS"));
            holder.freeze();
            FencingToken successor = acquired(store, name).token();
            assertThat(successor.value()).isGreaterThan(token);
            assertThat(sink.write(successor, "successor")).isOne();

            holder.thaw();

            assertThat(holder.await("LOST")).contains("(token %d) was lost before the work ended".formatted(token));
            assertThat(holder.await("WROTE")).isEqualTo("0");
        }
        assertThat(sink.written()).isEqualTo("successor");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "redis"})
    void aHolderCutOffFromItsStoreStopsBeforeItsLeaseEnds(String which) throws Exception {
        LeaseStore store = store(which);
        URI server = which.equals("redis")
                ? TestRedis.url()
                : URI.create(database.getJdbcUrl().substring("jdbc:".length()));
        try (Cable cable = new Cable(server.getHost(), server.getPort());
                ForkedProcess holder = LeaseHolders.start(
                        which,
                        "cut off",
                        directory,
                        Duration.ofSeconds(12),
                        database,
                        Map.of(),
                        "through=" + cable.port(),
                        "sink=" + LeaseHolders.url(elsewhere))) {
            holder.await("READY");
            holder.send("hold " + name);
            long token = Long.parseLong(holder.await("HOLDS"));

            cable.cut();
            String lost = holder.await("LOST");
            Found then = store.find(name).orElseThrow();

            assertThat(lost).contains("the database could not be reached in time");
            assertThat(then.token()).isEqualTo(new FencingToken(token));
            assertThat(then.remaining()).isPositive();
            assertThat(acquired(store, name).token().value()).isGreaterThan(token);
        }
    }
}
