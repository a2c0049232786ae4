package io.sagaspring.entity;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.second.Errand;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.TransitionOutcome;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.engine.spi.SelfDirtinessTracker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

/**
 * Entities of a second persistence unit take steps in the same way as entities of the first, if both units use the same
 * database.
 */
class SeveralUnitsTests {

    private static final String[] WORKFLOW = {
        "saga.workflows.errand.module=shop",
        "saga.workflows.errand.entity=" + Errand.class.getName(),
        "saga.workflows.errand.status-types=OPEN,CLOSING,CLOSED",
        "saga.workflows.errand.requesters=admin",
        "saga.workflows.errand.steps[0].step-id=1",
        "saga.workflows.errand.steps[0].step-key=close",
        "saga.workflows.errand.steps[0].status=OPEN",
        "saga.workflows.errand.steps[0].claim-state.admin=CLOSING,OPEN",
        "saga.workflows.errand.steps[0].successful-state.any=CLOSED",
        "saga.workflows.errand.steps[0].action.any=closeErrand"
    };

    @Configuration(proxyBeanMethods = false)
    static class Closing {

        final AtomicInteger executions = new AtomicInteger();
        volatile boolean enhanced;

        @Bean
        StepAction<Consumer<String>> closeErrand() {
            return (errand, context) -> {
                executions.incrementAndGet();
                enhanced = errand instanceof SelfDirtinessTracker;
                errand.accept("closed");
                return ActionResult.success();
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OverTheSameDatabase {

        @Bean(defaultCandidate = false)
        LocalContainerEntityManagerFactoryBean second(DataSource dataSource) {
            return unit(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OverAnotherDatabase {

        @Bean(defaultCandidate = false)
        LocalContainerEntityManagerFactoryBean second(
                @org.springframework.beans.factory.annotation.Value("${second.url}") String url) {
            return unit(new DriverManagerDataSource(url, "postgres", "postgres"));
        }
    }

    /** Simulates a replica: it has the same tables, and {@code pg_is_in_recovery()} returns true. */
    @Configuration(proxyBeanMethods = false)
    static class OverAReplica {

        @Bean(defaultCandidate = false)
        LocalContainerEntityManagerFactoryBean second(
                @org.springframework.beans.factory.annotation.Value("${second.url}") String url) {
            Interference replica = new Interference();
            replica.with(new Interference.Around() {
                @Override
                public String sent(String sql) {
                    return sql.replace("pg_catalog.pg_is_in_recovery()", "true");
                }
            });
            return unit(replica.watched(new DriverManagerDataSource(url, "postgres", "postgres")));
        }
    }

    private static LocalContainerEntityManagerFactoryBean unit(DataSource dataSource) {
        LocalContainerEntityManagerFactoryBean unit = new LocalContainerEntityManagerFactoryBean();
        HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
        hibernate.setGenerateDdl(true);
        unit.setJpaVendorAdapter(hibernate);
        unit.setDataSource(dataSource);
        unit.setPackagesToScan(Errand.class.getPackageName());
        unit.setPersistenceUnitName("second");
        return unit;
    }

    @Test
    void anEntityOfASecondUnitOverTheSameDatabaseTakesAStep() throws Exception {
        try (TestDatabase database = TestDatabase.create();
                Shop shop = open(database, new DefaultResourceLoader(), OverTheSameDatabase.class)) {
            assertClosedByOneOfMany(shop);
            assertSwept(shop);
            assertThat(shop.send(shop.pack())).isInstanceOf(TransitionOutcome.Completed.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PostgreSQL", "H2"})
    void anEntityInAnotherDatabaseIsRefusedAtStartUp(String product) {
        try (TestDatabase database = TestDatabase.create();
                TestDatabase other = TestDatabase.create()) {
            String url = product.equals("H2") ? "jdbc:h2:mem:second" : other.getJdbcUrl();

            assertThatThrownBy(() -> open(
                                    database,
                                    new DefaultResourceLoader(),
                                    OverAnotherDatabase.class,
                                    "second.url=" + url)
                            .close())
                    .rootCause()
                    .hasMessageContaining("saga.workflows.errand.entity")
                    .hasMessageContaining("is not in the same database as its claims");
        }
    }

    @Test
    void anEntityOfAUnitOverAReplicaIsRefusedAtStartUp() {
        try (TestDatabase database = TestDatabase.create()) {
            assertThatThrownBy(() -> open(
                                    database,
                                    new DefaultResourceLoader(),
                                    OverAReplica.class,
                                    "second.url=" + database.getJdbcUrl())
                            .close())
                    .rootCause()
                    .hasMessageContaining("saga.workflows.errand.entity")
                    .hasMessageContaining("is not in the same database as its claims");
        }
    }

    /** An enhanced class reports its changes to Hibernate, but not a value that is set without its methods. */
    @Test
    void anEntityOfAnEnhancedClassTakesAStep() throws Exception {
        try (TestDatabase database = TestDatabase.create();
                Shop shop = open(
                        database, new DefaultResourceLoader(new Enhancing(Errand.class)), OverTheSameDatabase.class)) {
            assertClosedByOneOfMany(shop);
            assertSwept(shop);
            assertThat(shop.bean(Closing.class).enhanced).isTrue();
        }
    }

    private static Shop open(
            TestDatabase database, DefaultResourceLoader loader, Class<?> second, String... properties) {
        Consumer<SpringApplicationBuilder> change =
                application -> application.resourceLoader(loader).sources(Closing.class, second);
        return Shop.open(
                database,
                change,
                Stream.concat(Arrays.stream(WORKFLOW), Arrays.stream(properties))
                        .toArray(String[]::new));
    }

    private static void assertClosedByOneOfMany(Shop shop) throws Exception {
        insert(shop, 1);
        CyclicBarrier barrier = new CyclicBarrier(6);
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try {
            List<Future<TransitionOutcome>> callers = threads.invokeAll(Collections.nCopies(6, () -> {
                barrier.await(20, SECONDS);
                return shop.workflows().run("errand", 1L, "close", Shop.ADMIN);
            }));
            int completed = 0;
            for (Future<TransitionOutcome> caller : callers) {
                completed += caller.get(20, SECONDS) instanceof TransitionOutcome.Completed ? 1 : 0;
            }
            assertThat(completed).isOne();
        } finally {
            threads.shutdownNow();
        }
        assertThat(shop.bean(Closing.class).executions).hasValue(1);
        assertThat(row(shop, 1)).isEqualTo("CLOSED closed 2");
    }

    private static void assertSwept(Shop shop) {
        insert(shop, 2);
        ClaimState state = shop.bean(DeclaredClaimStates.class).all().stream()
                .filter(each -> each.workflow().equals("errand"))
                .findFirst()
                .orElseThrow();
        assertThat(shop.bean(ClaimService.class).tryClaim(state, 2L, "admin")).isInstanceOf(ClaimAttempt.Granted.class);

        shop.silence(Duration.ofMinutes(6));
        shop.sweep();

        assertThat(row(shop, 2)).isEqualTo("OPEN  2");
    }

    private static void insert(Shop shop, long id) {
        shop.database()
                .sql("INSERT INTO errand (id, status, note, version) VALUES (?, 'OPEN', '', 0)")
                .param(id)
                .update();
    }

    private static String row(Shop shop, long id) {
        return shop.database()
                .sql("SELECT status || ' ' || note || ' ' || version FROM errand WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }
}
