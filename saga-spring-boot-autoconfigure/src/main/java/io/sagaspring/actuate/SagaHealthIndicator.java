package io.sagaspring.actuate;

import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.Ticks;
import io.sagaspring.janitor.Sweep;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Says whether a person should look at the claims. What is wrong is named in {@code problems}, and the status is then
 * {@code DEGRADED}: it shows, and it takes no node out of service. Nearly all it reports is the same on every node, so
 * that an answer of 503 would take away all of them at once, and help nobody.
 */
public final class SagaHealthIndicator implements HealthIndicator {

    /** Something needs a look, and requests are served as before. */
    public static final Status DEGRADED = new Status("DEGRADED", "Somebody should look at claims or due work");

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final int INTERVALS = 3;

    private final Keeper keeper;
    private final Supplier<Collection<Sweep>> sweeps;
    private final Survey survey;
    private final Ticks ticks;
    private final Duration since;

    /**
     * An indicator over what this node and the database know.
     *
     * @param keeper keeps alive what this node holds
     * @param sweeps one for each module with a janitor
     * @param survey asks the database
     * @param ticks measures what passes on this node
     */
    public SagaHealthIndicator(Keeper keeper, Supplier<Collection<Sweep>> sweeps, Survey survey, Ticks ticks) {
        this.keeper = keeper;
        this.sweeps = sweeps;
        this.survey = survey;
        this.ticks = ticks;
        this.since = ticks.now();
    }

    @Override
    public Health health() {
        Map<String, Object> details = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        askDatabase(details, problems);
        details.put("sweeps", sweeps(problems));
        askKeeper(details, problems);
        Health.Builder health = problems.isEmpty() ? Health.up() : Health.status(DEGRADED);
        return health.withDetails(details).withDetail("problems", problems).build();
    }

    private void askDatabase(Map<String, Object> details, List<String> problems) {
        try {
            Survey.Facts facts = survey.within(PATIENCE);
            details.put("stuck", facts.stuck());
            details.put("oldest", oldest(facts.oldest()));
            details.put("parked", facts.parked());
            facts.stuck().forEach((module, count) -> {
                if (count > 0) {
                    problems.add("%d claims of module '%s' are stuck: their owners have been silent for too long."
                            .formatted(count, module));
                }
            });
            if (facts.parked() > 0) {
                problems.add("%d pieces of due work are parked: every attempt failed.".formatted(facts.parked()));
            }
        } catch (TimeoutException silent) {
            problems.add("The database did not answer within %s.".formatted(PATIENCE));
        } catch (ExecutionException failed) {
            problems.add("The database could not be asked: %s".formatted(failed.getCause()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            problems.add("The database was not asked: this thread was interrupted.");
        }
    }

    private static Map<String, String> oldest(@Nullable ClaimedRow row) {
        return row == null
                ? Map.of()
                : Map.of("entity", row.entity(), "id", row.id(), "state", row.claimState(), "age", shown(row.age()));
    }

    private Map<String, Map<String, String>> sweeps(List<String> problems) {
        Map<String, Map<String, String>> shown = new LinkedHashMap<>();
        for (Sweep sweep : sweeps.get()) {
            Duration interval = sweep.settings().interval();
            Duration lag = sweep.lag();
            // Before the first sweep it is late if that should have come by now.
            Duration late = lag == null ? ticks.now().minus(since) : lag;
            if (late.compareTo(interval.multipliedBy(INTERVALS)) > 0) {
                problems.add("Module '%s' is to be swept every %s, and the latest sweep that this node finished was %s."
                        .formatted(
                                sweep.module(),
                                interval,
                                lag == null ? "never, for " + shown(late) : shown(lag) + " ago"));
            }
            shown.put(
                    sweep.module(),
                    Map.of("interval", interval.toString(), "lag", lag == null ? "never swept" : shown(lag)));
        }
        return shown;
    }

    private void askKeeper(Map<String, Object> details, List<String> problems) {
        Throwable trouble = keeper.trouble();
        if (trouble != null) {
            problems.add("This node cannot renew what it holds: %s".formatted(trouble));
        }
        List<String> tooLong = keeper.holds().stream()
                .filter(hold -> hold.stop() == Hold.Stop.TOO_LONG)
                .map(hold -> "%s, for %s".formatted(hold.held(), shown(hold.age())))
                .toList();
        if (!tooLong.isEmpty()) {
            problems.add("%d pieces of work last longer than they may and ignore their interrupt: %s."
                    .formatted(tooLong.size(), String.join("; ", tooLong)));
        }
        details.put("kept", keeper.holds().size());
        details.put("overdue", tooLong);
    }

    private static String shown(Duration duration) {
        return duration.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
