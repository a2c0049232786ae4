package io.sagaspring.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunCatalog;
import io.sagaspring.run.RunContext;
import io.sagaspring.schedule.ScheduleSettings.Of;
import io.sagaspring.startup.StartupFaultException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests how annotations and properties become schedules, and which faults are reported. */
class ScheduleCatalogTests {

    private abstract static class Timed implements DurableRun<Firing, @Nullable Void> {

        @Override
        public @Nullable Void run(RunContext run, Firing firing) {
            return null;
        }
    }

    @RunSchedule(name = "dunning", cron = "${dunning.cron}", zone = "Europe/Berlin", overlap = Overlap.QUEUE_ONE)
    static class Dunning extends Timed {}

    @RunSchedule(name = "tick", fixedRate = "5m", missed = Missed.ALL, missedWindow = "2h", overlap = Overlap.ALLOW)
    @RunSchedule(name = "tock", fixedDelay = "PT5S")
    static class Ticks extends Timed {}

    @RunSchedule(name = "never", fixedRate = "off")
    @RunSchedule(name = "nor-this", cron = "-")
    static class Off extends Timed {}

    private record Settings(Map<String, Of> byName, List<Class<?>> annotated) implements ScheduleSettings {

        @Override
        public String resolve(String text) {
            if (text.contains("${gone}")) {
                throw new IllegalArgumentException("Could not resolve placeholder 'gone'");
            }
            return text.replace("${dunning.cron}", "@daily");
        }

        @Override
        public Set<String> queues() {
            return Set.of("slow", "fast");
        }

        @Override
        public String origin(String property) {
            return " (application.yml:" + property.length() + ")";
        }
    }

    private static Map<String, ScheduleTerms> read(Map<String, Of> properties, DurableRun<?, ?>... runs) {
        return ScheduleCatalog.read(new RunCatalog(List.of(runs)).all(), new Settings(properties, List.of()))
                .terms();
    }

    private static String faults(Map<String, Of> properties, DurableRun<?, ?>... runs) {
        return catchThrowableOfType(StartupFaultException.class, () -> read(properties, runs))
                .description();
    }

    private static Of cron(String cron, @Nullable String zone) {
        return new Of(cron, zone, null, null, null, null, null, null, null);
    }

    @Test
    void annotationsBecomeSchedules() {
        assertThat(read(Map.of(), new Dunning(), new Ticks(), new Off()))
                .isEqualTo(Map.of(
                        "dunning",
                        new ScheduleTerms(
                                "dunning",
                                new ScheduleSpec.Cron("0 0 0 * * *", ZoneId.of("Europe/Berlin")),
                                Missed.LATEST,
                                Duration.ofDays(1),
                                Overlap.QUEUE_ONE,
                                null),
                        "tick",
                        new ScheduleTerms(
                                "ticks",
                                new ScheduleSpec.Rate(Duration.ofMinutes(5)),
                                Missed.ALL,
                                Duration.ofHours(2),
                                Overlap.ALLOW,
                                null),
                        "tock",
                        new ScheduleTerms(
                                "ticks",
                                new ScheduleSpec.Delay(Duration.ofSeconds(5)),
                                Missed.LATEST,
                                Duration.ofDays(1),
                                Overlap.SKIP,
                                null)));
    }

    @Test
    void propertiesOverrideAnnotations() {
        Map<String, ScheduleTerms> read = read(
                Map.of(
                        "dunning",
                        new Of(null, "America/New_York", null, null, Missed.NONE, null, Overlap.SKIP, null, null),
                        "tick",
                        new Of("0 0 9 * * MON", null, null, null, null, null, null, null, null),
                        "tock",
                        new Of(null, null, null, null, null, null, null, null, false)),
                new Dunning(),
                new Ticks());

        assertThat(read).containsOnlyKeys("dunning", "tick");
        assertThat(Objects.requireNonNull(read.get("dunning")).spec())
                .isEqualTo(new ScheduleSpec.Cron("0 0 0 * * *", ZoneId.of("America/New_York")));
        assertThat(Objects.requireNonNull(read.get("dunning")).missed()).isEqualTo(Missed.NONE);
        assertThat(Objects.requireNonNull(read.get("dunning")).overlap()).isEqualTo(Overlap.SKIP);
        assertThat(Objects.requireNonNull(read.get("tick")).spec())
                .isEqualTo(new ScheduleSpec.Cron("0 0 9 * * MON", ZoneOffset.UTC));
    }

    @RunSchedule(name = "queued", fixedRate = "5m", queue = "slow")
    static class Queued extends Timed {}

    private static Of queue(String queue) {
        return new Of(null, null, null, null, null, null, null, queue, null);
    }

    private static @Nullable String queueOf(Map<String, Of> properties) {
        return Objects.requireNonNull(read(properties, new Queued()).get("queued"))
                .queue();
    }

    @Test
    void aPropertyReplacesOrRemovesTheQueueOfAnAnnotation() {
        assertThat(queueOf(Map.of())).isEqualTo("slow");
        assertThat(queueOf(Map.of("queued", queue("fast")))).isEqualTo("fast");
        assertThat(queueOf(Map.of("queued", queue("")))).isNull();
    }

    @Test
    void aPropertyCanTurnAScheduleOffOrOn() {
        Map<String, Of> properties = Map.of(
                "dunning", cron("off", null), "never", new Of(null, null, "10s", null, null, null, null, null, null));

        assertThat(read(properties, new Dunning(), new Off())).containsOnlyKeys("never");
    }

    @RunSchedule(name = "Big Name", fixedRate = "5m")
    static class BadName extends Timed {}

    @RunSchedule(name = "twice", fixedRate = "5m")
    @RunSchedule(name = "twice", fixedRate = "6m")
    static class Twice extends Timed {}

    @RunSchedule(name = "none")
    @RunSchedule(name = "both", cron = "@daily", fixedRate = "5m")
    @RunSchedule(name = "no-cron", cron = "99 * * * * *")
    @RunSchedule(name = "never-fires", cron = "0 0 0 30 2 *", zone = "Europe/Berlin")
    @RunSchedule(name = "no-zone", cron = "@daily", zone = "Europe/Berlim")
    @RunSchedule(name = "zone-of-rate", fixedRate = "5m", zone = "Europe/Berlin")
    @RunSchedule(name = "too-often", fixedRate = "50ms")
    @RunSchedule(name = "no-duration", fixedDelay = "soon")
    @RunSchedule(name = "unresolved", cron = "${gone}")
    @RunSchedule(name = "window", fixedRate = "5m", missedWindow = "1h")
    @RunSchedule(
            name = "no-window",
            fixedRate = "5m",
            missed = Missed.ALL,
            overlap = Overlap.ALLOW,
            missedWindow = "-1h")
    @RunSchedule(name = "all-but-one", fixedRate = "5m", missed = Missed.ALL)
    @RunSchedule(name = "delay-with-overlap", fixedDelay = "5m", overlap = Overlap.ALLOW)
    @RunSchedule(name = "no-queue", fixedRate = "5m", queue = "slwo")
    static class Faulty extends Timed {}

    @RunSchedule(name = "order", fixedRate = "5m")
    static class OfOrders implements DurableRun<String, @Nullable Void> {

        @Override
        public @Nullable Void run(RunContext run, String order) {
            return null;
        }
    }

    @RunSchedule(name = "service", fixedRate = "5m")
    static class Service {}

    /** All faults are reported together, each with its value and its remedy. */
    @Test
    void allFaultsAreReportedTogether() {
        String faults = faults(Map.of(), new Faulty(), new BadName(), new Twice(), new OfOrders());

        assertThat(faults.lines().filter(line -> line.startsWith("- "))).hasSize(17);
        assertThat(faults)
                .contains(
                        "'Big Name' of " + BadName.class.getName() + " has an unusable name. Write 1 to 100",
                        "Two schedules have the name 'twice'",
                        "'none' of " + Faulty.class.getName() + " has neither a cron expression",
                        "has cron and fixedRate. Give only one of them.",
                        "has cron='99 * * * * *', which is not a cron expression: ",
                        "has cron='0 0 0 30 2 *', which never fires. Correct the expression, or write 'off'.",
                        "has zone=Europe/Berlim, which is unknown. Write a zone such as Europe/Berlin.",
                        "has a time zone, but a time zone affects only a cron expression. Remove zone.",
                        "has fixedRate=50ms, which must be at least 100 ms",
                        "has fixedDelay=soon, which is not a duration. Write a duration such as 5m or PT5M.",
                        "has cron=${gone}, and a placeholder has no value: Could not resolve placeholder 'gone'.",
                        "has missedWindow=1h, which only has an effect if all missed instants fire.",
                        "has missedWindow=-1h, which must be positive and at most 100 years.",
                        "has missed=ALL and overlap=SKIP, which would skip all but one of the missed instants.",
                        "has a fixed delay, so it never misses an instant or overlaps. Leave missed and overlap at their defaults. Found: missed=LATEST and overlap=ALLOW.",
                        "has queue='slwo', but the application declares no such queue. The queues are: fast, slow. Correct the name, or declare the queue.",
                        "but its input has the type java.lang.String. Declare the input as Firing.");
    }

    @Test
    void aFaultOfAPropertyNamesThePropertyAndItsOrigin() {
        Map<String, Of> properties = Map.of(
                "dunnign", cron("@daily", null),
                "dunning", cron("every day", null),
                "tick", new Of(null, null, "1ms", null, null, null, null, null, null),
                "tock", queue("quick"));

        assertThat(faults(properties, new Dunning(), new Ticks()))
                .contains(
                        "The properties saga.schedules.by-name.dunnign.* (application.yml:30) belong to no schedule. The schedules are: dunning, tick, tock.",
                        "has saga.schedules.by-name.dunning.cron='every day' (application.yml:35), which is not a cron expression",
                        "has saga.schedules.by-name.tick.fixed-rate=1ms (application.yml:38), which must be at least 100 ms",
                        "has saga.schedules.by-name.tock.queue='quick' (application.yml:33), but the application declares no such queue");
    }

    @Test
    void anAnnotatedBeanThatIsNeitherARunNorASagaIsAFault() {
        StartupFaultException fault = catchThrowableOfType(
                StartupFaultException.class,
                () -> ScheduleCatalog.read(List.of(), new Settings(Map.of(), List.of(Service.class))));

        assertThat(fault.description())
                .contains(Service.class.getName() + " has a @RunSchedule, but is neither a DurableRun nor a Saga.");
    }
}
