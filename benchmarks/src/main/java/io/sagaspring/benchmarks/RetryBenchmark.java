package io.sagaspring.benchmarks;

import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.benchmarks.Contest.Work;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.Runs;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Measures a run of three steps that have a retry policy: when no attempt fails, and when the first attempt of each
 * step fails.
 */
final class RetryBenchmark {

    private RetryBenchmark() {}

    enum Variant {
        PLAIN("no policy"),
        POLICY("a policy, no failure"),
        TIMEOUT("a policy and a time-out, no failure"),
        AT_ONCE("each step fails once, no pause"),
        PAUSE("each step fails once, 1 ms of pause");

        private final String description;

        Variant(String description) {
            this.description = description;
        }

        private String run(Runs runs, String payload) {
            return switch (this) {
                case PLAIN -> result(runs, ThreeSteps.class, payload);
                case POLICY -> retried(runs, payload, false, -1);
                case TIMEOUT -> retried(runs, payload, true, -1);
                case AT_ONCE -> retried(runs, payload, false, 0);
                case PAUSE -> retried(runs, payload, false, 1);
            };
        }

        @Override
        public String toString() {
            return description;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(OurFlows.Application.class)
    static class RetryApplication {

        @Bean
        ThreeSteps threeSteps() {
            return new ThreeSteps();
        }

        @Bean
        RetriedSteps retriedSteps() {
            return new RetriedSteps();
        }
    }

    public static void main(String[] args) throws IOException {
        int rounds = Rounds.givenOr(20);
        Duration slice = Duration.ofMillis(500);
        Results<Variant> unused = measure(List.of(new Setting(16, Duration.ZERO)), Rounds.FOR_THE_COMPILER, 0, slice);
        System.out.println("One run of three steps, with and without a retry policy.");
        measure(Setting.of(1, 16), rounds, Math.min(rounds, 10), slice).print(List.of(Variant.PLAIN));
    }

    static Results<Variant> measure(List<Setting> settings, int rounds, int warmUp, Duration slice) throws IOException {
        try (DurableDatabase database = DurableDatabase.open()) {
            Map<Setting, Map<Variant, Turn>> counted = new LinkedHashMap<>();
            Map<Setting, List<Map<Variant, Turn>>> measured = new LinkedHashMap<>();
            for (Setting setting : settings) {
                int callers = setting.callers();
                String counting = WireCounter.DRIVER_SETTING + "&" + setting.driverSetting();
                try (var context = open(database.urlWith(counting), callers)) {
                    counted.put(setting, contest(context, database).counted(callers, slice));
                }
                try (var context = open(database.urlWith(setting.driverSetting()), callers)) {
                    measured.put(setting, contest(context, database).rounds(callers, rounds, warmUp, slice));
                }
            }
            return new Results<>(measured, counted);
        }
    }

    private static ConfigurableApplicationContext open(String url, int callers) {
        return new SpringApplicationBuilder(RetryApplication.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.maximum-pool-size=16",
                        "saga.runs.concurrency=" + callers,
                        "spring.main.banner-mode=off")
                .run();
    }

    private static Contest<Variant> contest(ConfigurableApplicationContext context, DurableDatabase database) {
        Ground.fill(context.getBean(DataSource.class), 16);
        Runs runs = context.getBean(Runs.class);
        Map<Variant, Work> contenders = new EnumMap<>(Variant.class);
        for (Variant variant : Variant.values()) {
            contenders.put(variant, number -> {
                if (!OurFlows.PAYLOAD.equals(variant.run(runs, OurFlows.PAYLOAD))) {
                    throw new IllegalStateException("Variant %s did not return the expected result".formatted(variant));
                }
            });
        }
        return new Contest<>(contenders, database);
    }

    private static String retried(Runs runs, String payload, boolean timeout, long pause) {
        return result(runs, RetriedSteps.class, new RetriedSteps.Order(payload, timeout, pause));
    }

    private static <I> String result(Runs runs, Class<? extends DurableRun<I, String>> run, I input) {
        try {
            return runs.start(run, input).await(Ground.PATIENCE);
        } catch (TimeoutException late) {
            throw new IllegalStateException(late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
