package io.sagaspring.lease.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.LeaseStore;
import io.sagaspring.lease.LeaseStoreContract;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
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

    /** As by an eviction, or because the lease was to last for longer than the retention. */
    @Test
    void aCounterThatIsGoneIsThatOfTheHolder() {
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

    /** What is escaped in a key must not be what another name is called. */
    @Test
    void aNameWithABraceIsNotThatOfItsEscape() {
        String prefix = UUID.randomUUID().toString();

        assertThat(acquired(new LeaseName(prefix + "}")).token()).isEqualTo(new FencingToken(1));
        assertThat(store().look(new LeaseName(prefix + "%7D"))).isEmpty();
        assertThat(here.hasKey("saga:lease:{%s%%7D}".formatted(prefix))).isTrue();
    }

    @Test
    void whatIsOnlyAcquiredIsForgottenAfterTheRetention() {
        LeaseName name = LeaseName.of("redis", UUID.randomUUID().toString());
        acquired(name);

        assertThat(here.getExpire("saga:lease:{%s}:token".formatted(name))).isPositive();
    }
}
