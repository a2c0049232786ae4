package io.sagaspring.tenant;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.definition.Requester;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.TransitionOutcome;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A running application with tenants, and separate connections for the test's own queries. */
public final class TenantShop implements AutoCloseable {

    private final Shop shop;
    private final TestDatabase home;
    private final Map<String, TestDatabase> sources;
    private final Map<String, JdbcClient> databases;

    private TenantShop(Shop shop, TestDatabase home, Map<String, TestDatabase> sources) {
        this.shop = shop;
        this.home = home;
        this.sources = sources;
        this.databases = sources.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        each -> JdbcClient.create(each.getValue().dataSource())));
    }

    /**
     * Opens the application.
     *
     * @param home the database of the application
     * @param databases the database of each tenant
     * @param configuration the configuration that determines where the tables are
     */
    static TenantShop open(
            TestDatabase home, Map<String, TestDatabase> databases, Class<?> configuration, String... settings) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(TenantApplication.class, configuration)
                .web(WebApplicationType.NONE)
                .properties(settings)
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                JdbcConnectionDetails.class,
                                () -> home,
                                definition -> definition.setDestroyMethodName("")));
        return new TenantShop(Shop.of(application.run(), home), home, databases);
    }

    public Shop shop() {
        return shop;
    }

    public <T> T bean(Class<T> type) {
        return shop.bean(type);
    }

    public ThreadTenants tenants() {
        return bean(ThreadTenants.class);
    }

    /** Runs work for a tenant. */
    public <T extends @Nullable Object> T as(@Nullable String tenant, Supplier<T> work) {
        return bean(Tenants.class).in(tenant, work);
    }

    /** Runs work on a thread whose persistence context belongs to a tenant and has a connection. */
    void withContextOf(String tenant, Runnable work) {
        EntityManagerFactory factory = bean(EntityManagerFactory.class);
        EntityManager entities = as(tenant, () -> {
            EntityManager opened = factory.createEntityManager();
            Object unused = opened.createNativeQuery("SELECT 1").getSingleResult();
            return opened;
        });
        TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(entities));
        try {
            work.run();
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
            entities.close();
        }
    }

    public void save(String tenant, Class<?> job, long number) {
        as(
                tenant,
                () -> shop.inTransaction(entities -> {
                    try {
                        entities.persist(job.getConstructor(long.class).newInstance(number));
                    } catch (ReflectiveOperationException impossible) {
                        throw new IllegalStateException(impossible);
                    }
                    return true;
                }));
    }

    TransitionOutcome close(@Nullable String tenant, Class<?> job, Object id) {
        return close(tenant, job, id, Shop.ADMIN);
    }

    TransitionOutcome close(@Nullable String tenant, Class<?> job, Object id, Requester requester) {
        return as(tenant, () -> shop.workflows().run(TenantApplication.workflow(job), id, "close", requester));
    }

    public ClaimAttempt claim(String tenant, Class<?> job, Object id) {
        return as(tenant, () -> bean(ClaimService.class).tryClaim(state(job), id, "admin"));
    }

    ClaimState state(Class<?> job) {
        return bean(DeclaredClaimStates.class).all().stream()
                .filter(each -> each.entity() == job)
                .findFirst()
                .orElseThrow();
    }

    /** Makes every claim in every database look as if its last heartbeat was this long ago. */
    public void silence(Duration duration) {
        shop.silence(duration);
        withTables()
                .forEach(database -> database.sql(
                                "UPDATE saga_claim SET alive_at = clock_timestamp() - ? * INTERVAL '1 millisecond'")
                        .param(duration.toMillis())
                        .update());
    }

    /**
     * Returns the databases that already have the library's tables. A node creates these tables before the first claim
     * of the tenant.
     */
    private Stream<JdbcClient> withTables() {
        return all().filter(database -> database.sql(
                        "SELECT to_regclass('saga_claim') IS NOT NULL AND to_regclass('saga_due') IS NOT NULL")
                .query(Boolean.class)
                .single());
    }

    int claims() {
        return withTables()
                .mapToInt(database -> database.sql("SELECT count(*) FROM saga_claim")
                        .query(Integer.class)
                        .single())
                .sum();
    }

    int due() {
        return withTables()
                .mapToInt(database -> database.sql("SELECT count(*) FROM saga_due")
                        .query(Integer.class)
                        .single())
                .sum();
    }

    void awaitNoDueWork() {
        await().atMost(20, SECONDS).until(() -> due() == 0);
    }

    /** Locks rows in a transaction that stays open until the returned object is closed. */
    Locked lock(String tenant, String statement) throws SQLException {
        Connection connection = Objects.requireNonNullElse(sources.get(tenant), home)
                .dataSource()
                .getConnection();
        connection.setAutoCommit(false);
        try (Statement locking = connection.createStatement()) {
            boolean unused = locking.execute(statement);
        }
        return () -> {
            connection.rollback();
            connection.close();
        };
    }

    /** Locks that a test holds. */
    interface Locked extends AutoCloseable {
        @Override
        void close() throws SQLException;
    }

    /** Runs work while every after-effect fails. */
    public void fail(Runnable work) {
        AfterEffect<Job> before = TenantApplication.following;
        TenantApplication.following = (job, context) -> {
            throw new IllegalStateException("offline");
        };
        try {
            work.run();
        } finally {
            TenantApplication.following = before;
        }
    }

    /** Runs a step that must succeed. */
    public void complete(String tenant, Class<?> job, Object id) {
        Object unused = close(tenant, job, id).orElseThrow();
    }

    /** Counts the sessions that wait for a lock. */
    long waiting() {
        return all().mapToLong(LockWaits::in).sum();
    }

    /** Returns each database once. */
    Stream<JdbcClient> all() {
        return databases.isEmpty() ? Stream.of(shop.database()) : databases.values().stream();
    }

    JdbcClient database(String tenant) {
        return Objects.requireNonNullElse(databases.get(tenant), shop.database());
    }

    @Override
    public void close() {
        shop.close();
        TenantApplication.resetCode();
    }
}
