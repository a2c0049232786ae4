package io.sagaspring.autoconfigure;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.RenewableRows;
import io.sagaspring.lease.Acquisition;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseLostException;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.LeaseStore;
import io.sagaspring.lease.redis.RedisLeaseStore;
import io.sagaspring.lease.redis.TestRedis;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * An application gets the lease store that it configures, or a message that explains why that store is not available.
 */
class LeaseAutoConfigurationTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final LeaseName name = LeaseName.of("till", UUID.randomUUID().toString());

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    SchemaAutoConfiguration.class,
                    FoundationAutoConfiguration.class,
                    LeaseAutoConfiguration.class))
            .withBean(JdbcConnectionDetails.class, () -> database, definition -> definition.setDestroyMethodName(""));

    @AfterAll
    static void drop() {
        database.close();
    }

    @Test
    void leasesAreStoredInPostgresForThirtySecondsByDefault() {
        application.run(context -> {
            assertThat(context.getBean(LeaseStore.class)).isInstanceOf(RenewableRows.class);
            try (Lease lease = context.getBean(LeaseManager.class).acquire(name)) {
                Acquisition.AlreadyClaimed other = (Acquisition.AlreadyClaimed)
                        context.getBean(LeaseManager.class).tryAcquire(name);
                assertThat(other.token()).isEqualTo(lease.token());
                assertThat(other.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
            }
        });
    }

    /** The application may use Redis for its cache only. */
    @Test
    void aRedisConnectionFactoryAloneDoesNotChangeTheStore() {
        application
                .withBean(RedisConnectionFactory.class, LeaseAutoConfigurationTests::nowhere)
                .run(context -> {
                    assertThat(context.getBean(LeaseStore.class)).isInstanceOf(RenewableRows.class);
                    context.getBean(LeaseManager.class).acquire(name).close();
                });
    }

    @Test
    void theStoreInMemoryCanBeChosen() {
        application.withPropertyValues("saga.leases.store=memory").run(context -> {
            assertThat(context.getBean(LeaseStore.class)).hasToString("The lease store in memory");
            requireRenewed(context.getBean(LeaseManager.class), context.getBean(Keeper.class));
        });
    }

    @Test
    void theStoreInRedisCanBeChosen() {
        application
                .withPropertyValues("saga.leases.store=redis")
                .withBean(RedisConnectionFactory.class, LeaseAutoConfigurationTests::redis)
                .run(context -> {
                    assertThat(context).hasSingleBean(LeaseStore.class).hasSingleBean(RedisLeaseStore.class);
                    requireRenewed(context.getBean(LeaseManager.class), context.getBean(Keeper.class));
                });
    }

    /** Returns a connection factory whose every use fails. */
    private static RedisConnectionFactory nowhere() {
        return new LettuceConnectionFactory("127.0.0.1", 1);
    }

    private static RedisConnectionFactory redis() {
        return TestRedis.connect().getRequiredConnectionFactory();
    }

    /** Requires that the keeper renews a lease in any store. */
    private void requireRenewed(LeaseManager leases, Keeper keeper) {
        try (Lease lease = leases.acquire(name)) {
            keeper.beat();
            assertThat(keeper.trouble()).isNull();
            assertThat(lease.isLost()).isFalse();
            assertThat(leases.tryAcquire(name)).isInstanceOf(Acquisition.AlreadyClaimed.class);
        }
        leases.acquire(name).close();
    }

    @Test
    void redisIsRefusedWithoutSpringDataRedis() {
        application
                .withPropertyValues("saga.leases.store=redis")
                .withClassLoader(new FilteredClassLoader(StringRedisTemplate.class))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("saga.leases.store")
                        .hasMessageContaining(
                                "Spring Data Redis is not on the class path. Add spring-boot-starter-data-redis."));
    }

    @Test
    void redisIsRefusedWithoutAConnectionFactory() {
        application
                .withPropertyValues("saga.leases.store=redis")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("There is no bean of type RedisConnectionFactory."));
    }

    @Test
    void redisIsRefusedWithTwoConnectionFactories() {
        application
                .withPropertyValues("saga.leases.store=redis")
                .withBean("one", RedisConnectionFactory.class, LeaseAutoConfigurationTests::nowhere)
                .withBean("other", RedisConnectionFactory.class, LeaseAutoConfigurationTests::nowhere)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("There is more than one bean of type RedisConnectionFactory."));
    }

    @Test
    void anUnknownStoreIsRefused() {
        application
                .withPropertyValues("saga.leases.store=paper")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("paper"));
    }

    @Test
    void anApplicationCanProvideItsOwnStore() {
        LeaseStore own = LeaseStore.inMemory(() -> Duration.ZERO, Duration.ofDays(1));
        application
                .withBean(LeaseStore.class, () -> own)
                .run(context -> assertThat(context).getBean(LeaseStore.class).isSameAs(own));
    }

    @Test
    void leasesCanBeSwitchedOff() {
        application
                .withPropertyValues("saga.leases.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LeaseManager.class)
                        .doesNotHaveBean(LeaseStore.class));
    }

    @Test
    void aHeartbeatIntervalTooLongForTheLeaseIsRefused() {
        application
                .withPropertyValues("saga.leases.ttl=3s", "saga.keeper.interval=2s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("at most half of the shortest lease or stuck-after time")
                        .hasMessageContaining("3 s"));
    }

    /** Another node continues at once and does not wait until the leases expire. */
    @Test
    void aClosingNodeStopsItsLeaseHoldersAndReleasesTheirLeases() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<CompletableFuture<String>> working = new AtomicReference<>();
        application.run(context -> {
            LeaseManager leases = context.getBean(LeaseManager.class);
            working.set(OwnThread.call(() -> work(leases, begun)));
            assertThat(begun.await(20, SECONDS)).isTrue();
        });

        assertThat(working.get().get(20, SECONDS)).contains("this node is shutting down");
        application.run(
                context -> assertThat(context.getBean(LeaseManager.class).tryAcquire(name))
                        .isInstanceOf(Acquisition.Acquired.class));
    }

    private String work(LeaseManager leases, CountDownLatch begun) {
        try {
            return leases.during(name, () -> {
                begun.countDown();
                new CountDownLatch(1).await();
                return "done";
            });
        } catch (LeaseLostException lost) {
            return String.valueOf(lost.getMessage());
        } catch (Exception unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
