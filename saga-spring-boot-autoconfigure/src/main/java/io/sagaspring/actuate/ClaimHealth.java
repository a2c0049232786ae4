package io.sagaspring.actuate;

import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.fence.Ticks;
import io.sagaspring.janitor.Sweep;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Whether claims are stuck, work is parked, or a sweep is late. */
public final class ClaimHealth implements HealthPart {

    private static final int INTERVALS = 3;

    private final Supplier<Collection<Sweep>> sweeps;
    private final Survey<ClaimFacts> survey;
    private final Ticks ticks;
    private final Duration since;

    /**
     * The health of claims and due work.
     *
     * @param sweeps one for each module with a janitor
     * @param survey asks the database
     * @param ticks measures what passes on this node
     */
    public ClaimHealth(Supplier<Collection<Sweep>> sweeps, Survey<ClaimFacts> survey, Ticks ticks) {
        this.sweeps = sweeps;
        this.survey = survey;
        this.ticks = ticks;
        this.since = ticks.now();
    }

    @Override
    public void look(Map<String, Object> details, List<String> problems) {
        askDatabase(details, problems);
        details.put("sweeps", sweeps(problems));
    }

    private void askDatabase(Map<String, Object> details, List<String> problems) {
        survey.look(problems, facts -> {
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
        });
    }

    private static Map<String, String> oldest(@Nullable ClaimedRow row) {
        return row == null
                ? Map.of()
                : Map.of(
                        "entity",
                        row.entity(),
                        "id",
                        row.id(),
                        "state",
                        row.claimState(),
                        "age",
                        HealthPart.shown(row.age()));
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
                                lag == null ? "never, for " + HealthPart.shown(late) : HealthPart.shown(lag) + " ago"));
            }
            shown.put(
                    sweep.module(),
                    Map.of(
                            "interval",
                            interval.toString(),
                            "lag",
                            lag == null ? "never swept" : HealthPart.shown(lag)));
        }
        return shown;
    }
}
