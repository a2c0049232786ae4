package io.sagaspring.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests schedules as an application declares them. */
class SchedulesInAnApplicationTests {

    private static final Duration SOON = Duration.ofSeconds(20);

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @RunSchedule(name = "tick", fixedRate = "${tick.every:off}", overlap = Overlap.ALLOW)
    static class Tick implements DurableRun<Firing, @Nullable Void> {

        final List<Firing> firings = new CopyOnWriteArrayList<>();

        @Override
        public @Nullable Void run(RunContext run, Firing firing) {
            run.step("note", () -> firings.add(firing));
            return null;
        }
    }

    @RunSchedule(name = "tock", fixedRate = "${tock.every:off}", overlap = Overlap.ALLOW)
    static class Tock implements Saga<Firing> {

        final List<Instant> instants = new CopyOnWriteArrayList<>();

        @Override
        public void define(SagaDefinition<Firing> saga) {
            saga.timeout(Duration.ofHours(2));
            saga.step("note", context -> instants.add(context.input().at()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Scheduled {

        @Bean
        Tick tick() {
            return new Tick();
        }

        @Bean
        Tock tock() {
            return new Tock();
        }
    }

    private Shop open(String... properties) {
        return Shop.open(database, application -> application.sources(Scheduled.class), properties);
    }

    @Test
    void aRunFiresOnTimeWithinItsApplication() {
        try (Shop shop = open("tick.every=500ms", "saga.schedules.poll-interval=100ms")) {
            Tick tick = shop.bean(Tick.class);
            await().atMost(SOON).until(() -> tick.firings.size() >= 4);

            List<Firing> firings = List.copyOf(tick.firings);
            assertThat(firings).extracting(Firing::at).doesNotHaveDuplicates();
            assertThat(firings).allSatisfy(each -> {
                assertThat(each.at().toEpochMilli() % 500).isZero();
                assertThat(each.schedule()).isEqualTo("tick");
            });
            assertThat(shop.bean(Schedules.class).list())
                    .extracting(ScheduleView::name)
                    .containsExactly("tick");
        }
    }

    @Test
    void aSagaFiresOnTimeWithItsOwnTimeout() {
        try (Shop shop = open("tock.every=500ms", "saga.schedules.poll-interval=100ms")) {
            Tock tock = shop.bean(Tock.class);
            await().atMost(SOON).until(() -> tock.instants.size() >= 2);

            assertThat(tock.instants).doesNotHaveDuplicates();
            assertThat(shop.database()
                            .sql("SELECT count(*) FROM saga_run WHERE deadline_at IS NULL")
                            .query(Long.class)
                            .single())
                    .isZero();
        }
    }

    /** A scheduled saga that cannot start, because its label cannot be computed. */
    @RunSchedule(name = "broken", fixedRate = "400ms", overlap = Overlap.ALLOW)
    static class Broken implements Saga<Firing> {

        @Override
        public void define(SagaDefinition<Firing> saga) {
            saga.label("office", firing -> {
                throw new IllegalStateException("no office");
            });
            saga.step("never", context -> "");
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aScheduleThatCannotFireDoesNotDelayTheOthers(CapturedOutput output) {
        try (Shop shop = Shop.open(
                database,
                application -> application.sources(Scheduled.class, Broken.class),
                "tick.every=400ms",
                "saga.schedules.poll-interval=100ms")) {
            Tick tick = shop.bean(Tick.class);

            await().atMost(SOON).until(() -> tick.firings.size() >= 4);

            assertThat(output).contains("The schedule 'broken' cannot fire: ", "no office");
            assertThat(output).doesNotContain("The schedule 'tick' cannot fire");
        }
    }

    @RunSchedule(name = "morning", cron = "0 0 6 * * *")
    @RunSchedule(name = "evening", cron = "0 0 18 * * *")
    static class Twice implements DurableRun<Firing, @Nullable Void> {

        @Override
        public @Nullable Void run(RunContext run, Firing firing) {
            return null;
        }
    }

    @Test
    void oneClassMayHaveSeveralSchedules() {
        try (Shop shop = Shop.open(database, application -> application.sources(Twice.class))) {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(shop.bean(Schedules.class).list())
                            .extracting(ScheduleView::name)
                            .containsExactly("evening", "morning"));
        }
    }

    @Test
    void aScheduleThatIsOffNeitherFiresNorHasAThread() {
        try (Shop shop = open()) {
            assertThat(shop.bean(Schedules.class).list()).isEmpty();
            assertThat(threads()).noneMatch(name -> name.startsWith("saga-schedules"));
        }
    }

    @Test
    void aNodeThatFiresNothingCanStillTrigger() {
        try (Shop shop = open("tick.every=1h")) {
            await().atMost(SOON).until(() -> !shop.bean(Schedules.class).list().isEmpty());
        }
        try (Shop shop = open("tick.every=1h", "saga.schedules.enabled=false")) {
            assertThat(threads()).noneMatch(name -> name.startsWith("saga-schedules"));

            TriggerResult result = shop.bean(Schedules.class).trigger("tick", "ada");

            await().atMost(SOON)
                    .until(() -> shop.bean(Runs.class)
                            .find(Objects.requireNonNull(result.run()))
                            .map(RunView::state)
                            .filter(RunState.COMPLETED::equals)
                            .isPresent());
        }
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
    }

    @Configuration(proxyBeanMethods = false)
    static class Unscheduled {

        /** A run that no schedule starts. */
        static final class Plain implements DurableRun<String, String> {

            @Override
            public String run(RunContext run, String input) {
                return input;
            }
        }

        @Bean
        Plain plain() {
            return new Plain();
        }
    }

    @Test
    void anApplicationWithoutASchedulePaysNothing() throws Exception {
        List<String> statements = new CopyOnWriteArrayList<>();
        try (Shop shop = Shop.open(database, application -> application.sources(Unscheduled.class))) {
            shop.bean(Interference.class).with(new Interference.Around() {
                @Override
                public void before(String sql, java.sql.Connection connection) {
                    statements.add(sql);
                }
            });
            assertThat(shop.bean(Runs.class)
                            .start(Unscheduled.Plain.class, "plain")
                            .await(SOON))
                    .isEqualTo("plain");
            await().atMost(SOON).until(() -> statements.stream().anyMatch(sql -> Statements.isNamed(sql, "run.look")));

            assertThat(shop.names("sagaSchedule")).isEmpty();
            assertThat(threads()).noneMatch(name -> name.startsWith("saga-schedules"));
            assertThat(statements).noneMatch(sql -> Statements.isOf(sql, "schedule"));
        }
    }

    @RunSchedule(name = "order", cron = "0 0 0 30 2 *")
    static class OfOrders implements DurableRun<String, @Nullable Void> {

        @Override
        public @Nullable Void run(RunContext run, String order) {
            return null;
        }
    }

    @RunSchedule(name = "service", fixedRate = "1h")
    static class Service {}

    @Configuration(proxyBeanMethods = false)
    static class Faulty {

        @Bean
        OfOrders ofOrders() {
            return new OfOrders();
        }

        @Bean
        Service service() {
            return new Service();
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void allFaultsAreReportedWhenTheApplicationStarts(CapturedOutput output) {
        assertThatException()
                .isThrownBy(() -> Shop.open(
                        database,
                        application -> application.sources(Faulty.class),
                        "saga.schedules.by-name.ordre.cron=@daily"));

        assertThat(output)
                .contains(
                        "APPLICATION FAILED TO START",
                        "This application's schedules have faults:",
                        "has cron='0 0 0 30 2 *', which never fires.",
                        "but its input has the type java.lang.String. Declare the input as Firing.",
                        Service.class.getName() + " has a @RunSchedule, but is neither a DurableRun nor a Saga.",
                        "The properties saga.schedules.by-name.ordre.* (\"saga.schedules.by-name.ordre.cron\" from property source \"defaultProperties\") belong to no schedule. The schedules are: order.");
    }
}
