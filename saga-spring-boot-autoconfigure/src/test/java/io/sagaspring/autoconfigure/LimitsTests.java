package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.startup.StartupFaultException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** A value out of range is refused with the name of its property, and the documentation lists these properties. */
class LimitsTests {

    private static final Path DOCUMENT = Path.of("../docs/configuration.md");

    @ParameterizedTest
    @CsvSource({
        "saga.claims.max-duration, 999ms, 1s",
        "saga.due.concurrency, 0, 1",
        "saga.due.first-delay, 9ms, 10ms",
        "saga.due.lease-ttl, 999ms, 1s",
        "saga.due.max-attempts, 0, 1",
        "saga.due.max-delay, 9ms, 10s",
        "saga.due.max-duration, 9ms, 10ms",
        "saga.due.poll-interval, 9ms, 10ms",
        "saga.due.shutdown-grace, -1ms, 0ms",
        "saga.idempotency.http.max-request-size, 0B, 1B",
        "saga.idempotency.lease-ttl, 999ms, 1s",
        "saga.idempotency.max-duration, 29s, 30s",
        "saga.idempotency.max-reply-size, 0B, 1B",
        "saga.idempotency.purge-interval, 999ms, 1s",
        "saga.idempotency.retention, 29m, 30m",
        "saga.idempotency.transaction-patience, 0ms, 1ms",
        "saga.janitor.interval, 199ms, 200ms",
        "saga.janitor.modules.depot.interval, 199ms, 200ms",
        "saga.janitor.modules.depot.stuck-after, 999ms, 1s",
        "saga.janitor.orphan-interval, 199ms, 200ms",
        "saga.janitor.stuck-after, 999ms, 1s",
        "saga.leases.purge-interval, 999ms, 1s",
        "saga.leases.retention, 23h, 1d",
        "saga.leases.ttl, 999ms, 1s",
        "saga.runs.blocked-interval, 999ms, 1s",
        "saga.runs.concurrency, -1, 0",
        "saga.runs.defaults.retry.delay, -1ms, 0ms",
        "saga.runs.defaults.retry.max-attempts, 0, 1",
        "saga.runs.defaults.retry.max-delay, -1ms, 0ms",
        "saga.runs.defaults.retry.multiplier, 0.9, 1",
        "saga.runs.defaults.timeout, 0ms, 1ms",
        "saga.runs.lease-ttl, 999ms, 1s",
        "saga.runs.max-attempts, 0, 1",
        "saga.runs.max-payload-size, 0B, 1B",
        "saga.runs.poll-interval, 9ms, 10ms",
        "saga.runs.purge-interval, 999ms, 1s",
        "saga.runs.retention, 6d, 7d",
        "saga.runs.shutdown-grace, -1ms, 0ms",
        "saga.keeper.interval, 49ms, 50ms",
        "saga.keeper.interval, 5001ms, 5s"
    })
    void aSettingOutOfRangeIsRefusedWithItsProperty(String property, String refused, String valid) throws IOException {
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> use(property, refused))
                .satisfies(fault -> assertThat(fault.getName()).isEqualTo(property))
                .satisfies(fault -> assertThat(fault.getReason()).startsWith("It must be at "));
        assertThatCode(() -> use(property, valid)).doesNotThrowAnyException();
        assertThat(limits()).contains("`" + property.replace("modules.depot.", "") + "`");
    }

    /** A size above 1 GB is lowered to 1 GB, not refused. */
    @Test
    void aReplySizeOfFourGigabytesIsAccepted() {
        assertThatCode(() -> use("saga.idempotency.max-reply-size", "4GB")).doesNotThrowAnyException();
    }

    @Test
    void allDefaultsOfStepsThatAreOutOfRangeAreReportedTogether() {
        Binder binder = new Binder(new MapConfigurationPropertySource(Map.of(
                "saga.runs.defaults.retry.max-attempts", "0",
                "saga.runs.defaults.retry.delay", "-1ms",
                "saga.runs.defaults.retry.multiplier", "NaN",
                "saga.runs.defaults.retry.max-delay", "-1ms",
                "saga.runs.defaults.timeout", "0ms")));
        RunDefaults defaults = binder.bindOrCreate("saga.runs.defaults", RunDefaults.class);

        assertThatExceptionOfType(StartupFaultException.class)
                .isThrownBy(() ->
                        defaults.steps(property -> property.endsWith("timeout") ? " (application.yml - 7:5)" : ""))
                .satisfies(fault -> assertThat(fault.description()).isEqualTo("""
                        Some properties have values that are not allowed:

                        - saga.runs.defaults.retry.max-attempts is 0. It must be at least 1.
                        - saga.runs.defaults.retry.delay is -1 ms. It must be at least 0 s.
                        - saga.runs.defaults.retry.multiplier is NaN. It must be at least 1.
                        - saga.runs.defaults.retry.max-delay is -1 ms. It must be at least 0 s.
                        - saga.runs.defaults.timeout is 0 s (application.yml - 7:5). It must be at least 1 ms."""));
    }

    private static String limits() throws IOException {
        return Pattern.compile(
                        "The application does not start with a value below these:\n\n(.*?)(\n\n|$)", Pattern.DOTALL)
                .matcher(Files.readString(DOCUMENT))
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
    }

    private static void use(String property, String value) {
        Binder binder = new Binder(new MapConfigurationPropertySource(Map.of(property, value)));
        binder.bindOrCreate("saga.claims", ClaimProperties.class).checkedMaxDuration();
        DueProperties due = binder.bindOrCreate("saga.due", DueProperties.class);
        due.settings();
        due.checkedLease();
        IdempotencyProperties keys = binder.bindOrCreate("saga.idempotency", IdempotencyProperties.class);
        keys.settings();
        keys.checkedPurgeInterval();
        keys.checkedMaxReplySize();
        keys.checkedMaxRequestSize();
        RunProperties runs = binder.bindOrCreate("saga.runs", RunProperties.class);
        runs.settings(
                binder.bindOrCreate("saga.runs.defaults", RunDefaults.class).steps(unknown -> ""));
        runs.checkedMaxPayload();
        runs.checkedPurgeInterval();
        runs.checkedRetention();
        JanitorProperties janitor = binder.bindOrCreate("saga.janitor", JanitorProperties.class);
        janitor.checkedOrphanInterval();
        janitor.of("depot");
        LeaseProperties leases = binder.bindOrCreate("saga.leases", LeaseProperties.class);
        leases.checkedTtl();
        leases.checkedRetention();
        leases.checkedPurgeInterval();
        binder.bindOrCreate("saga.keeper", KeeperProperties.class).checkedInterval(Duration.ofSeconds(10));
    }
}
