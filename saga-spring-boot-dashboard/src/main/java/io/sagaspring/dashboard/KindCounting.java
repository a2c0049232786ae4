package io.sagaspring.dashboard;

import io.sagaspring.actuate.Survey;
import io.sagaspring.dashboard.RunReading.Counted;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.ReadLimit;
import io.sagaspring.run.KindCounts;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the runs of each kind and state. A request gets the latest numbers at once, and only asks for newer ones, which
 * a thread of its own reads. So no request waits for these counts, and nothing is counted while nobody looks.
 */
final class KindCounting {

    private static final Duration OLD = Duration.ofSeconds(15);

    private final DashboardSources sources;
    private final Duration timeout;
    private final Survey<List<Kind>> latest = new Survey<>(this::read, ElapsedClock.OF_THIS_MACHINE, OLD);

    KindCounting(DashboardSources sources, Duration timeout) {
        this.sources = sources;
        this.timeout = timeout;
    }

    /** The numbers of runs of one name. */
    record Kind(String run, boolean known, Map<String, Counted> states) {

        static Kind of(KindCounts counts) {
            Map<String, Counted> states = new LinkedHashMap<>();
            counts.states().forEach((state, count) -> states.put(state.text(), Counted.of(count)));
            return new Kind(counts.run(), counts.known(), states);
        }
    }

    /** Returns the latest numbers, or null if they are being read for the first time. */
    @Nullable
    List<Kind> latest() {
        return sources.find(RunEngine.class) == null ? null : latest.latest();
    }

    private List<Kind> read() {
        RunEngine engine = sources.find(RunEngine.class);
        RunStore store = sources.find(RunStore.class);
        if (engine == null || store == null) {
            return List.of();
        }
        return ReadLimit.within(timeout, () -> store.kinds(RunCount.MOST, engine.names())).stream()
                .map(Kind::of)
                .toList();
    }
}
