package io.sagaspring.benchmarks;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskDecorator;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Spring Modulith's event publication registry with three listeners. Each listener publishes the event of the next one,
 * with its result, in its own transaction. The settings follow chapters of Spring Modulith's reference. The listeners
 * follow "Application Module Listener". The completion mode is DELETE. According to "Event Publication Completion", a
 * table that keeps its completed publications grows and may become slow. ARCHIVE writes one row more for each
 * publication. The table follows "Event Publication Repositories", and the JSON of the events follows "Event
 * Serializer". The listeners run on Spring Boot's executor, which has a thread for each caller.
 */
final class ModulithFlows implements Flows {

    /** The auto-configurations of Spring Modulith. Most of them are not public, so only their names can be given. */
    static final String AUTO_CONFIGURATIONS = String.join(
            ",",
            "org.springframework.modulith.events.jackson.JacksonEventSerializationConfiguration",
            "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration",
            "org.springframework.modulith.events.config.EventPublicationAutoConfiguration");

    private final Ground ground;
    private final ConfigurableApplicationContext application;
    private final TransactionTemplate transaction;
    private final Endings endings;
    private final AtomicLong started = new AtomicLong();

    ModulithFlows(Ground ground) {
        this.ground = ground;
        this.application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.sources=" + AUTO_CONFIGURATIONS,
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=" + ground.url(),
                        "spring.datasource.hikari.maximum-pool-size=" + ground.connections(),
                        "spring.datasource.hikari.connection-timeout=" + Ground.PATIENCE.toMillis(),
                        "spring.task.execution.pool.core-size=" + ground.callers(),
                        "spring.modulith.events.completion-mode=delete")
                .run();
        Ground.fill(application.getBean(DataSource.class), ground.connections());
        this.transaction = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        this.endings = application.getBean(Endings.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        TaskExecutionAutoConfiguration.class
    })
    static class Application {

        @Bean
        Endings endings() {
            return new Endings();
        }

        @Bean
        Completions completions(Endings endings) {
            return new Completions(endings);
        }

        @Bean
        Steps steps(ApplicationEventPublisher events, Completions completions) {
            return new Steps(events, completions);
        }
    }

    record First(String flow, String input) {}

    record Second(String flow, String input) {}

    record Third(String flow, String input) {}

    /** The listeners. */
    static class Steps {

        private final ApplicationEventPublisher events;
        private final Completions completions;

        Steps(ApplicationEventPublisher events, Completions completions) {
            this.events = events;
            this.completions = completions;
        }

        @ApplicationModuleListener
        void on(First event) {
            events.publishEvent(new Second(event.flow(), event.input()));
            completions.expect(First.class, event.flow(), event.input());
        }

        @ApplicationModuleListener
        void on(Second event) {
            events.publishEvent(new Third(event.flow(), event.input()));
            completions.expect(Second.class, event.flow(), event.input());
        }

        @ApplicationModuleListener
        void on(Third event) {
            completions.expect(Third.class, event.flow(), event.input());
        }
    }

    /**
     * Notifies the caller when Spring Modulith has completed a publication. Spring Modulith does so on the listener's
     * thread, after the listener's transaction. If the completion fails, the row remains, and {@link #over()} counts one
     * flow less than the callers.
     */
    static final class Completions implements TaskDecorator {

        private static final ThreadLocal<@Nullable Runnable> expected = new ThreadLocal<>();

        private final Endings endings;

        Completions(Endings endings) {
            this.endings = endings;
        }

        void expect(Class<?> event, String flow, String result) {
            expected.set(() -> endings.complete(publication(event, flow), result));
        }

        @Override
        public Runnable decorate(Runnable task) {
            return () -> {
                task.run();
                Runnable notification = expected.get();
                expected.remove();
                if (notification != null) {
                    notification.run();
                }
            };
        }
    }

    private static String publication(Class<?> event, String flow) {
        return event.getSimpleName() + " " + flow;
    }

    @Override
    public String run(String payload) {
        String flow = UUID.randomUUID().toString();
        transaction.executeWithoutResult(status -> application.publishEvent(new First(flow, payload)));
        started.incrementAndGet();
        String result = endings.await(publication(Third.class, flow));
        // A listener's task may delete its publication later than the next listener's task.
        endings.await(publication(First.class, flow));
        endings.await(publication(Second.class, flow));
        return result;
    }

    /**
     * Returns the number of ended flows. Spring Modulith deletes completed publications, and the callers wait for all
     * publications of their flows. Each remaining row is therefore a flow that has not ended.
     */
    @Override
    public long over() {
        return started.get() - ground.count("event_publication");
    }

    @Override
    public void close() {
        application.close();
    }
}
