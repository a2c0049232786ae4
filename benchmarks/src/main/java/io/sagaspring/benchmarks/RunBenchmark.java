package io.sagaspring.benchmarks;

import io.sagaspring.autoconfigure.FoundationAutoConfiguration;
import io.sagaspring.autoconfigure.RunAutoConfiguration;
import io.sagaspring.autoconfigure.SchemaAutoConfiguration;
import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.benchmarks.Contest.Work;
import io.sagaspring.run.Runs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import org.springframework.jdbc.core.simple.JdbcClient;

/** What it costs to run three steps, each result durable before the next step, and to wait for the end. */
final class RunBenchmark {

    private static final String PAYLOAD = "R".repeat(98);
    private static final byte[] BYTES = PAYLOAD.getBytes(StandardCharsets.UTF_8);
    private static final Duration SOON = Duration.ofSeconds(30);

    private RunBenchmark() {}

    enum Variant {
        NAIVE("L: two statements and a commit for each step, by hand"),
        FOLDED("F: one statement for each step, by hand"),
        RUN("`runs.start(…)`, and its result awaited");

        private final String description;

        Variant(String description) {
            this.description = description;
        }

        @Override
        public String toString() {
            return description;
        }
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

    public static void main(String[] args) throws IOException {
        System.out.println("One flow of three steps.");
        measure(Setting.all(), 40, 10, Duration.ofMillis(500)).print(List.of(Variant.FOLDED));
    }

    static Results<Variant> measure(List<Setting> settings, int rounds, int warmUp, Duration slice) throws IOException {
        try (DurableDatabase database = DurableDatabase.open()) {
            JdbcClient.create(database.dataSource()).sql(RunsByHand.TABLE).update();
            Map<Variant, Turn> counted;
            try (var context = open(database.urlWith(WireCounter.DRIVER_SETTING), 1)) {
                counted = contest(context, database).counted(1, slice);
            }
            Map<Setting, List<Map<Variant, Turn>>> measured = new LinkedHashMap<>();
            for (Setting setting : settings) {
                try (var context = open(database.urlWith(setting.driverSetting()), setting.callers())) {
                    measured.put(setting, contest(context, database).rounds(setting.callers(), rounds, warmUp, slice));
                }
            }
            return new Results<>(measured, Map.of(Setting.ALONE, counted));
        }
    }

    /** One slot and one connection for each caller. */
    static ConfigurableApplicationContext open(String url, int callers, String... more) {
        return new SpringApplicationBuilder(ThreeStepsApplication.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.maximum-pool-size=" + callers,
                        "saga.runs.concurrency=" + callers,
                        "spring.main.banner-mode=off")
                .properties(more)
                .run();
    }

    private static Contest<Variant> contest(ConfigurableApplicationContext context, DurableDatabase database) {
        RunsByHand byHand = new RunsByHand(context.getBean(DataSource.class));
        Runs runs = context.getBean(Runs.class);
        Map<Variant, Work> contenders = new EnumMap<>(Variant.class);
        contenders.put(Variant.NAIVE, number -> byHand.naively(BYTES));
        contenders.put(Variant.FOLDED, number -> byHand.folded(BYTES));
        contenders.put(Variant.RUN, number -> run(runs));
        return new Contest<>(contenders, database);
    }

    static void run(Runs runs) {
        try {
            String result = runs.start(ThreeSteps.class, PAYLOAD).await(SOON);
            if (!PAYLOAD.equals(result)) {
                throw new IllegalStateException("The run returned something else");
            }
        } catch (TimeoutException late) {
            throw new IllegalStateException(late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
