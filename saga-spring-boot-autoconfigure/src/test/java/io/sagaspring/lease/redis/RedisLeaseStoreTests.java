package io.sagaspring.lease.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.LeaseStore;
import io.sagaspring.lease.LeaseStoreContract;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

class RedisLeaseStoreTests extends LeaseStoreContract {

    private static final Duration RETENTION = Duration.ofDays(30);
    private static final StringRedisTemplate here = TestRedis.connect();
    private static final StringRedisTemplate elsewhere = TestRedis.connect();

    @Override
    protected LeaseStore store() {
        return new RedisLeaseStore(here, RETENTION);
    }

    @Override
    protected LeaseStore another() {
        return new RedisLeaseStore(elsewhere, RETENTION);
    }

    @Override
    protected void pass(LeaseName name, Duration duration) {
        String holder = "saga:lease:{%s}".formatted(name);
        long left = java.util.Objects.requireNonNull(here.getExpire(holder, java.util.concurrent.TimeUnit.MILLISECONDS))
                - duration.toMillis();
        if (left > 0) {
            here.expire(holder, Duration.ofMillis(left));
        } else {
            here.delete(holder);
        }
    }

    /** The counter may be lost because Redis evicts it, or because a lease lasts longer than the retention. */
    @Test
    void aLostTokenCounterContinuesFromTheHoldersToken() {
        LeaseName name = LeaseName.of("redis", UUID.randomUUID().toString());
        FencingToken first = acquired(name).token();
        store().release(name, first);
        LeaseStore.Found mine = acquired(name);
        here.delete("saga:lease:{%s}:token".formatted(name));

        assertThat(acquired(name).attempt()).isEqualTo(mine.attempt());
        assertThat(store().renew(name, mine.token())).isTrue();
        assertThat(store().release(name, mine.token())).isTrue();
        assertThat(acquired(name).token()).isGreaterThan(mine.token());
    }

    private LeaseStore.Found acquired(LeaseName name) {
        return store().acquire(name, new LeaseStore.Attempt(UUID.randomUUID(), "node", Duration.ofMinutes(1)));
    }

    /** The escaped form of one name must not be the key of another name. */
    @Test
    void aNameWithABraceDiffersFromItsEscapedForm() {
        String prefix = UUID.randomUUID().toString();

        assertThat(acquired(new LeaseName(prefix + "}")).token()).isEqualTo(new FencingToken(1));
        assertThat(store().find(new LeaseName(prefix + "%7D"))).isEmpty();
        assertThat(here.hasKey("saga:lease:{%s%%7D}".formatted(prefix))).isTrue();
    }

    @Test
    void theTokenCounterOfALeaseExpires() {
        LeaseName name = LeaseName.of("redis", UUID.randomUUID().toString());
        acquired(name);

        assertThat(here.getExpire("saga:lease:{%s}:token".formatted(name))).isPositive();
    }

    /** Renewing the leases one by one would take ten seconds, and the holders would lose them. */
    @Test
    void aThousandLeasesAreRenewedInFarFewerRoundTrips() throws Exception {
        Set<HeldLease> held = IntStream.range(0, 1_000).mapToObj(each -> held()).collect(Collectors.toSet());
        HeldLease lost = new HeldLease("lease", "redis:" + UUID.randomUUID(), new FencingToken(1));
        Set<HeldLease> requested = new HashSet<>(held);
        requested.add(lost);

        try (SlowLink link = new SlowLink(TestRedis.url(), Duration.ofMillis(10))) {
            LeaseStore distant = new RedisLeaseStore(TestRedis.connect(link.url()), RETENTION);

            assertThat(distant.renew(RedisLeaseStoreTests::none, requested)).isEqualTo(held);
            assertThat(distant.stillHeld(RedisLeaseStoreTests::none, requested)).isEqualTo(held);
            assertThat(link.trips()).isLessThan(400);
        }
    }

    @Test
    void leasesAreRenewedAfterRedisHasForgottenItsScripts() throws Exception {
        Set<HeldLease> held = IntStream.range(0, 2).mapToObj(each -> held()).collect(Collectors.toSet());
        here.execute((RedisCallback<@Nullable Object>) connection -> {
            connection.scriptingCommands().scriptFlush();
            return null;
        });

        assertThat(store().renew(RedisLeaseStoreTests::none, held)).isEqualTo(held);
        assertThat(store().stillHeld(RedisLeaseStoreTests::none, held)).isEqualTo(held);
    }

    @Test
    void leasesAreRenewedOneByOneIfTheClientHasNoPipeline() throws Exception {
        Set<HeldLease> held = IntStream.range(0, 2).mapToObj(each -> held()).collect(Collectors.toSet());
        HeldLease lost = new HeldLease("lease", "redis:" + UUID.randomUUID(), new FencingToken(1));
        Set<HeldLease> requested = new HashSet<>(held);
        requested.add(lost);

        for (RuntimeException refusal : List.of(
                new InvalidDataAccessApiUsageException("Pipeline is not supported for JedisClusterConnection"),
                new UnsupportedOperationException("Pipeline is not supported"))) {
            LeaseStore cluster = new RedisLeaseStore(withoutPipeline(refusal), RETENTION);

            assertThat(cluster.renew(RedisLeaseStoreTests::none, requested)).isEqualTo(held);
            assertThat(cluster.stillHeld(RedisLeaseStoreTests::none, requested)).isEqualTo(held);
        }
    }

    private static StringRedisTemplate withoutPipeline(RuntimeException refusal) {
        return new StringRedisTemplate(here.getRequiredConnectionFactory()) {
            @Override
            public List<Object> executePipelined(RedisCallback<?> action) {
                throw refusal;
            }
        };
    }

    private HeldLease held() {
        LeaseName name = LeaseName.of("redis", UUID.randomUUID().toString());
        return new HeldLease("lease", name.value(), acquired(name).token());
    }

    private static Connection none() {
        throw new IllegalStateException("Leases in Redis need no connection to the database.");
    }
}
