package io.sagaspring.chaos;

import io.sagaspring.autoconfigure.FoundationAutoConfiguration;
import io.sagaspring.autoconfigure.IdempotencyAutoConfiguration;
import io.sagaspring.autoconfigure.SchemaAutoConfiguration;
import io.sagaspring.autoconfigure.WorkflowAutoConfiguration;
import io.sagaspring.definition.Requester;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ClaimRecovered;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.janitor.SweepListener;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionRequest;
import io.sagaspring.workflow.Workflows;
import jakarta.persistence.EntityManager;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * One node of an application whose entities are crates, in this JVM or in its own JVM. Tests kill it often. Therefore
 * it has only the beans that claims and keys need, and starts fast.
 */
final class Depot implements AutoCloseable {

    static final Requester ADMIN = Requester.of("admin");

    private final ConfigurableApplicationContext context;

    private Depot(ConfigurableApplicationContext context) {
        this.context = context;
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        HibernateJpaAutoConfiguration.class,
        SchemaAutoConfiguration.class,
        FoundationAutoConfiguration.class,
        IdempotencyAutoConfiguration.class,
        WorkflowAutoConfiguration.class
    })
    @AutoConfigurationPackage
    @Import(DepotJanitor.class)
    static class Application {

        @Bean
        static Interference interference() {
            return new Interference();
        }

        @Bean
        static ConnectionsPerThread connectionsPerThread() {
            return new ConnectionsPerThread();
        }

        @Bean
        Journal journal(Environment environment) throws IOException {
            return Journal.open(environment.getRequiredProperty("depot.journal"));
        }

        @Bean
        Mover mover(EntityManager entities, Journal journal, Environment environment) {
            return new Mover(entities, journal, environment.getRequiredProperty("depot.name"));
        }

        @Bean
        Teller teller(DataSource dataSource, Journal journal, Environment environment) {
            return new Teller(JdbcClient.create(dataSource), journal, environment.getRequiredProperty("depot.name"));
        }

        @Bean
        OwnerResolver owners() {
            return Teller.OWNER::get;
        }

        @Bean
        Blocked blocked() {
            return new Blocked();
        }
    }

    @ClaimJanitor(module = "depot")
    static class DepotJanitor extends ScheduledClaimJanitor {

        private final Queue<ClaimRecovered> recovered = new ConcurrentLinkedQueue<>();

        @Override
        protected void recovered(ClaimRecovered claim) {
            recovered.add(claim);
        }
    }

    /** Counts how often the janitor was blocked. */
    static final class Blocked implements SweepListener {

        private final AtomicInteger times = new AtomicInteger();

        @Override
        public void blocked(String module) {
            times.incrementAndGet();
        }
    }

    /**
     * Creates a database with every table that a depot needs, so that the start of a depot does not change the
     * database.
     */
    static TestDatabase database() {
        TestDatabase database = TestDatabase.create(MigratedSchema.class);
        JdbcClient client = JdbcClient.create(database.dataSource());
        client.sql("""
                CREATE TABLE crate (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
                    status varchar(20) NOT NULL, note varchar(255) NOT NULL, version bigint NOT NULL)""").update();
        client.sql("CREATE TABLE moved (crate bigint NOT NULL, token bigint NOT NULL, step text NOT NULL)")
                .update();
        client.sql("CREATE TABLE deposit (number bigint NOT NULL, slip text NOT NULL)")
                .update();
        return database;
    }

    /** Returns the settings of every depot. A test may add other settings. */
    static Map<String, String> settings(TestDatabase database, Path journal, String name) {
        Map<String, String> settings = new HashMap<>();
        settings.put("depot.journal", journal.toString());
        settings.put("depot.name", name);
        settings.put("spring.datasource.url", database.getJdbcUrl());
        settings.put("spring.datasource.username", Objects.requireNonNullElse(database.getUsername(), ""));
        settings.put("spring.datasource.password", Objects.requireNonNullElse(database.getPassword(), ""));
        settings.put("spring.jpa.hibernate.ddl-auto", "none");
        settings.put("spring.main.banner-mode", "off");
        settings.put("saga.schema.migrate", "false");
        settings.put("saga.janitor.stuck-after", "1s");
        settings.put("saga.janitor.interval", "200ms");
        settings.put("saga.due.lease-ttl", "1s");
        settings.put("saga.due.poll-interval", "200ms");
        String workflow = "saga.workflows.crate.";
        settings.put(workflow + "module", "depot");
        settings.put(workflow + "entity", Crate.class.getName());
        settings.put(workflow + "status-types", "HOME,LEAVING,HAULED,AWAY,RETURNING");
        settings.put(workflow + "requesters", "admin");
        step(settings, 0, "ship", "HOME", "LEAVING", "AWAY");
        settings.put(workflow + "steps[0].success-after-effect.any", "mover");
        step(settings, 1, "haul", "HOME", "HAULED", "AWAY");
        step(settings, 2, "fetch", "AWAY", "RETURNING", "HOME");
        return settings;
    }

    private static void step(Map<String, String> settings, int index, String key, String from, String into, String to) {
        String step = "saga.workflows.crate.steps[%d].".formatted(index);
        settings.put(step + "step-id", Integer.toString(index));
        settings.put(step + "step-key", key);
        settings.put(step + "status", from);
        settings.put(step + "claim-state.any", into + "," + from);
        settings.put(step + "successful-state.any", to);
        settings.put(step + "action.any", "mover");
    }

    static Depot open(TestDatabase database, Journal journal, String name, String... properties) {
        return open(database, journal, name, new Interference.Around() {}, properties);
    }

    static Depot open(
            TestDatabase database, Journal journal, String name, Interference.Around around, String... properties) {
        return open(settings(database, journal.file(), name), around, properties);
    }

    static Depot open(Map<String, String> settings, Interference.Around around, String... properties) {
        // Set the interference before the application is ready, because then the first sweep begins.
        ApplicationListener<ApplicationStartedEvent> beforeReady = started ->
                started.getApplicationContext().getBean(Interference.class).with(around);
        return new Depot(new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(new HashMap<>(settings))
                .properties(properties)
                .listeners(beforeReady)
                .run());
    }

    TransitionOutcome run(String step, long crate) {
        return bean(Workflows.class).run("crate", crate, step, ADMIN);
    }

    /** Runs a step that its caller may repeat, under the same effect key each time. */
    TransitionOutcome repeatable(String step, long crate) {
        return bean(Workflows.class)
                .run(TransitionRequest.of("crate", crate, step, ADMIN).effectKey("%s:%d".formatted(step, crate)));
    }

    Mover mover() {
        return bean(Mover.class);
    }

    Interference interference() {
        return bean(Interference.class);
    }

    /** Returns the claims that this node's janitor has reverted. */
    List<ClaimRecovered> recovered() {
        return List.copyOf(bean(DepotJanitor.class).recovered);
    }

    /** Returns how often this node's janitor was blocked by a lock. */
    int blocked() {
        return bean(Blocked.class).times.get();
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }
}
