package io.sagaspring.shop;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import io.sagaspring.definition.Requester;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ClaimRecovered;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.janitor.Sweep;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;
import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A running application with the workflow {@code parcel}, and a separate connection for the test's own queries. */
public final class Shop implements AutoCloseable {

    public static final Requester ADMIN = Requester.of("admin");
    public static final Requester SYSTEM = Requester.of("system");

    private final ConfigurableApplicationContext context;
    private final JdbcClient database;

    private Shop(ConfigurableApplicationContext context, DataSource dataSource) {
        this.context = context;
        this.database = JdbcClient.create(dataSource);
    }

    /** Returns the application class, for a test that starts the application in its own way. */
    public static Class<?> application() {
        return Application.class;
    }

    /** Returns the settings of a shop. A test can override each of them. */
    public static Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("spring.jpa.hibernate.ddl-auto", "update");
        settings.put("spring.flyway.enabled", "false");
        settings.put("spring.liquibase.enabled", "false");
        settings.put("spring.main.banner-mode", "off");
        settings.put("spring.jpa.open-in-view", "false");
        // With a short interval, a sweep between two lines of a test could revert the claim under test. Call sweep()
        // instead.
        settings.put("saga.janitor.interval", "1h");
        String workflow = "saga.workflows.parcel.";
        settings.put(workflow + "module", "shop");
        settings.put(workflow + "entity", Parcel.class.getName());
        settings.put(workflow + "status-types", "PACKED,SENDING,SENT,LOST");
        settings.put(workflow + "requesters", "admin,system");
        settings.put(workflow + "steps[0].step-id", "10");
        settings.put(workflow + "steps[0].step-key", "send");
        settings.put(workflow + "steps[0].status", "PACKED");
        settings.put(workflow + "steps[0].claim-state.admin", "SENDING,PACKED");
        settings.put(workflow + "steps[0].successful-state.any", "SENT");
        settings.put(workflow + "steps[0].validation.any", "script");
        settings.put(workflow + "steps[0].action.any", "script");
        settings.put(workflow + "steps[0].success-after-effect.any", "script");
        settings.put(workflow + "steps[1].step-id", "20");
        settings.put(workflow + "steps[1].step-key", "lose");
        settings.put(workflow + "steps[1].status", "SENT");
        settings.put(workflow + "steps[1].successful-state.any", "LOST");
        settings.put(workflow + "steps[1].action.any", "script");
        return settings;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @AutoConfigurationPackage
    @Import(ShopJanitor.class)
    static class Application {

        @Bean
        static Interference interference() {
            return new Interference();
        }

        @Bean
        Script script() {
            return new Script();
        }
    }

    /** A janitor that a test can leave out. The application must then fail to start. */
    @ClaimJanitor(module = "shop")
    @ConditionalOnBooleanProperty(name = "shop.janitor", matchIfMissing = true)
    public static class ShopJanitor extends ScheduledClaimJanitor {

        public final List<ClaimRecovered> recovered = new CopyOnWriteArrayList<>();

        @Override
        protected void recovered(ClaimRecovered claim) {
            recovered.add(claim);
        }
    }

    public static Shop open(TestDatabase database, String... properties) {
        return open(database, any -> {}, properties);
    }

    public static Shop open(TestDatabase database, Consumer<SpringApplicationBuilder> change, String... properties) {
        Map<String, Object> settings = settings();
        SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(settings)
                .properties(properties)
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                JdbcConnectionDetails.class,
                                () -> database,
                                definition -> definition.setDestroyMethodName("")));
        change.accept(application);
        return new Shop(application.run(), database.dataSource());
    }

    /** Wraps an application that the test itself has started or is starting. */
    public static Shop of(ConfigurableApplicationContext context, TestDatabase database) {
        return new Shop(context, database.dataSource());
    }

    /** Returns the bean names that begin with this text. */
    public List<String> names(String beginning) {
        return Stream.of(context.getBeanDefinitionNames())
                .filter(name -> name.startsWith(beginning))
                .toList();
    }

    public Workflows workflows() {
        return context.getBean(Workflows.class);
    }

    public Script script() {
        return context.getBean(Script.class);
    }

    public Interference interference() {
        return context.getBean(Interference.class);
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public ConfigurableApplicationContext context() {
        return context;
    }

    public TransitionOutcome send(long parcel) {
        return workflows().run("parcel", parcel, "send", ADMIN);
    }

    /** Saves a parcel and returns its id. */
    public long pack() {
        return inTransaction(entities -> {
            Parcel parcel = new Parcel();
            entities.persist(parcel);
            return parcel.id();
        });
    }

    public <T extends @Nullable Object> T inTransaction(Function<EntityManager, T> work) {
        EntityManager entities = context.getBean(EntityManager.class);
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .execute(status -> work.apply(entities));
    }

    /** Returns a client that bypasses the application and has its own connections. */
    public JdbcClient database() {
        return database;
    }

    public String status(long parcel) {
        return Objects.requireNonNull(database.sql("SELECT status FROM parcel WHERE id = ?")
                .param(parcel)
                .query(String.class)
                .single());
    }

    public String note(long parcel) {
        return database.sql("SELECT note FROM parcel WHERE id = ?")
                .param(parcel)
                .query(String.class)
                .single();
    }

    public long version(long parcel) {
        return database.sql("SELECT version FROM parcel WHERE id = ?")
                .param(parcel)
                .query(Long.class)
                .single();
    }

    public int claims() {
        return database.sql("SELECT count(*) FROM saga_claim")
                .query(Integer.class)
                .single();
    }

    /**
     * Waits for the application's own first sweep, and then makes every claim look as if its last heartbeat was this
     * long ago.
     */
    public void silence(Duration duration) {
        Collection<Sweep> unused = sweeps();
        database.sql("UPDATE saga_claim SET alive_at = clock_timestamp() - ? * INTERVAL '1 millisecond'")
                .param(duration.toMillis())
                .update();
    }

    /**
     * Waits for the application's own first sweep, then sweeps every module, and returns the number of reverted claims.
     */
    public int sweep() {
        return sweeps().stream().mapToInt(Sweep::run).sum();
    }

    /** Waits for the application's own first sweep. */
    public Shop swept() {
        Collection<Sweep> unused = sweeps();
        return this;
    }

    private Collection<Sweep> sweeps() {
        Collection<Sweep> sweeps = context.getBean(JanitorRegistry.class).sweeps();
        await().atMost(60, SECONDS).until(() -> sweeps.stream().allMatch(sweep -> sweep.lag() != null));
        return sweeps;
    }

    @Override
    public void close() {
        context.close();
    }
}
