package io.sagaspring.actuate;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.LogText;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.pause.Pause;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Shows the paused kinds of runs and the paused janitors. A janitor that is paused for too long is a problem. */
final class PauseHealth implements HealthPart {

    private final Survey<List<Pause>> survey;
    private final Supplier<@Nullable JanitorRegistry> janitors;

    /**
     * Creates the health of pauses.
     *
     * @param survey the survey that reads the pauses in the database
     * @param janitors the supplier of the registry with the settings of the janitors, or of null if there are none
     */
    public PauseHealth(Survey<List<Pause>> survey, Supplier<@Nullable JanitorRegistry> janitors) {
        this.survey = survey;
        this.janitors = janitors;
    }

    @Override
    public void report(Map<String, Object> details, List<String> problems) {
        survey.report(problems, pauses -> {
            Map<String, String> kinds = new TreeMap<>();
            Map<String, String> paused = new TreeMap<>();
            for (Pause each : pauses) {
                (each.kind() == Pause.Kind.RUN ? kinds : paused)
                        .put(
                                each.name(),
                                "for %s by %s: %s"
                                        .formatted(
                                                DurationText.of(each.age()),
                                                LogText.of(each.by()),
                                                LogText.of(each.why())));
                reportJanitor(each, problems);
            }
            details.put("pausedKinds", kinds);
            details.put("pausedJanitors", paused);
        });
    }

    private void reportJanitor(Pause pause, List<String> problems) {
        JanitorRegistry registry = janitors.get();
        if (pause.kind() == Pause.Kind.JANITOR && registry != null) {
            registry.sweep(pause.name())
                    .map(sweep -> sweep.settings().stuckAfter())
                    .filter(stuckAfter -> pause.age().compareTo(stuckAfter) > 0)
                    .ifPresent(stuckAfter -> problems.add(
                            "The janitor of module '%s' has been paused for %s by %s, longer than stuck-after (%s). No stuck claim of this module is freed. Resume the janitor on the dashboard, or with PauseOperations."
                                    .formatted(
                                            pause.name(),
                                            DurationText.of(pause.age()),
                                            LogText.of(pause.by()),
                                            DurationText.of(stuckAfter))));
        }
    }
}
