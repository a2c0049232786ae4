package io.sagaspring.benchmarks;

import io.sagaspring.autoconfigure.FoundationAutoConfiguration;
import io.sagaspring.autoconfigure.RunAutoConfiguration;
import io.sagaspring.autoconfigure.SchemaAutoConfiguration;
import io.sagaspring.run.Runs;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Flows that are durable runs. Each variant has its own application, because the variants need different properties.
 */
final class OurFlows implements Flows {

    static final String PAYLOAD = "R".repeat(98);

    private final Ground ground;
    private final ConfigurableApplicationContext application;
    private final Runs runs;
    private final boolean executes;

    OurFlows(Ground ground, String... properties) {
        this(ground, false, properties);
    }

    /** Returns flows that are executed on the threads of their callers. */
    static OurFlows executing(Ground ground) {
        return new OurFlows(ground, true);
    }

    private OurFlows(Ground ground, boolean executes, String... properties) {
        this.ground = ground;
        this.executes = executes;
        this.application = open(ground.url(), ground.connections(), ground.callers(), properties);
        Ground.fill(application.getBean(DataSource.class), ground.connections());
        this.runs = application.getBean(Runs.class);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        SchemaAutoConfiguration.class,
        FoundationAutoConfiguration.class,
        RunAutoConfiguration.class
    })
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class ThreeStepsApplication {

        @Bean
        ThreeSteps threeSteps() {
            return new ThreeSteps();
        }
    }

    static ConfigurableApplicationContext open(String url, int connections, int concurrency, String... more) {
        return open(ThreeStepsApplication.class, url, connections, concurrency, more);
    }

    static ConfigurableApplicationContext open(
            Class<?> flows, String url, int connections, int concurrency, String... more) {
        return new SpringApplicationBuilder(flows)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.maximum-pool-size=" + connections,
                        "spring.datasource.hikari.connection-timeout=" + Ground.PATIENCE.toMillis(),
                        "saga.runs.concurrency=" + concurrency,
                        "spring.main.banner-mode=off")
                .properties(more)
                .run();
    }

    static String run(Runs runs, String payload) {
        return run(runs, payload, false);
    }

    private static String run(Runs runs, String payload, boolean executes) {
        try {
            return executes
                    ? runs.execute(ThreeSteps.class, payload)
                    : runs.start(ThreeSteps.class, payload).await(Ground.PATIENCE);
        } catch (TimeoutException late) {
            throw new IllegalStateException(late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public String run(String payload) {
        return run(runs, payload, executes);
    }

    @Override
    public long over() {
        return ground.count("saga_run WHERE state = 'completed'");
    }

    @Override
    public void close() {
        application.close();
    }
}
