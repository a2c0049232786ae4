package io.sagaspring.test.saga;

import io.sagaspring.due.Pickup;
import io.sagaspring.run.Retry;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.StepDefaults;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * The application properties that apply in a saga test, with the defaults of production.
 *
 * @param callbackKeys the secrets for callback tokens
 * @param lease the time after which another node picks up a dead node's run
 * @param attempts the number of attempts before a run is parked
 * @param blockedPause the pause before a blocked run is checked again
 * @param maxPayload the maximum size of a stored value, in bytes
 * @param retention the time after which an ended execution is removed
 * @param defaults the retry policy and the time-out of steps that set none
 */
record TestSettings(
        List<String> callbackKeys,
        Duration lease,
        int attempts,
        Duration blockedPause,
        int maxPayload,
        Duration retention,
        StepDefaults defaults) {

    /** A random secret that only this process knows, so that no application can use a copy of it. */
    private static final List<String> KEY = List.of(UUID.randomUUID().toString() + UUID.randomUUID());

    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    static TestSettings of(Environment environment) {
        Binder binder = Binder.get(environment);
        return new TestSettings(
                List.of(binder.bind("saga.sagas.callback-keys", String[].class)
                        .orElseGet(() -> KEY.toArray(String[]::new))),
                duration(binder, "saga.runs.lease-ttl", Duration.ofSeconds(30)),
                binder.bind("saga.runs.max-attempts", Integer.class).orElse(10),
                duration(binder, "saga.runs.blocked-interval", Duration.ofMinutes(1)),
                (int) binder.bind("saga.runs.max-payload-size", DataSize.class)
                        .orElse(DataSize.ofMegabytes(1))
                        .toBytes(),
                duration(binder, "saga.runs.retention", Duration.ofDays(30)),
                defaults(binder));
    }

    /** Returns the settings of queues in the properties. They replace the settings in the {@code RunQueue} beans. */
    static Map<String, RunQueue.Overrides> queues(Environment environment) {
        return Binder.get(environment)
                .bind("saga.runs.queues", Bindable.mapOf(String.class, RunQueue.Overrides.class))
                .orElse(Map.of());
    }

    private static StepDefaults defaults(Binder binder) {
        String retry = "saga.runs.defaults.retry.";
        int attempts = binder.bind(retry + "max-attempts", Integer.class).orElse(1);
        Retry policy = Retry.retry()
                .max(attempts)
                .delay(duration(binder, retry + "delay", Duration.ofSeconds(1)))
                .multiplier(binder.bind(retry + "multiplier", Double.class).orElse(1.0))
                .maxDelay(duration(binder, retry + "max-delay", Duration.ofMinutes(1)));
        boolean isJittered = binder.bind(retry + "jitter", Boolean.class).orElse(false);
        StepDefaults defaults =
                attempts == 1 ? StepDefaults.none() : StepDefaults.retry(isJittered ? policy.jitter() : policy);
        return binder.bind("saga.runs.defaults.timeout", Duration.class)
                .map(defaults::timeout)
                .orElse(defaults);
    }

    private static Duration duration(Binder binder, String name, Duration otherwise) {
        return binder.bind(name, Duration.class).orElse(otherwise);
    }

    /** Returns settings for one run at a time, on the test's thread. */
    RunEngine.Settings runs() {
        return new RunEngine.Settings(
                attempts,
                blockedPause,
                Duration.ofMinutes(1),
                new Pickup.Settings("runs", 1, Duration.ofSeconds(1), lease, FOR_EVER, Duration.ZERO),
                defaults);
    }
}
