package io.sagaspring.dashboard;

import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.pause.Pause;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.RunEngine;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lists what can be paused as a whole: the kinds of runs, and the janitors. */
final class KindReading {

    private final DashboardSources sources;

    KindReading(DashboardSources sources) {
        this.sources = sources;
    }

    /** A kind of runs, or the janitor of a module. */
    record Item(
            String kind,
            String name,
            boolean known,
            @Nullable Paused pause,
            List<String> operations) {}

    /** A decision of a person. */
    record Paused(Instant at, String by, String why) {}

    @Nullable
    Object list(DashboardQuery query) {
        Pauses pauses = sources.find(Pauses.class);
        if (pauses == null) {
            return null;
        }
        List<Pause> paused = pauses.all();
        RunEngine engine = sources.find(RunEngine.class);
        JanitorRegistry janitors = sources.find(JanitorRegistry.class);
        Set<String> kinds = engine == null ? Set.of() : engine.names();
        Set<String> modules = janitors == null
                ? Set.of()
                : janitors.sweeps().stream().map(each -> each.module()).collect(Collectors.toSet());
        return ListReading.Listed.all(Stream.concat(
                        items("kind", kinds, of(Pause.Kind.RUN, paused), query),
                        items("janitor", modules, of(Pause.Kind.JANITOR, paused), query))
                .toList());
    }

    private static Map<String, Pause> of(Pause.Kind kind, List<Pause> paused) {
        return paused.stream()
                .filter(each -> each.kind() == kind)
                .collect(Collectors.toMap(Pause::name, Function.identity()));
    }

    private static Stream<Item> items(String kind, Set<String> known, Map<String, Pause> paused, DashboardQuery query) {
        Set<String> names = new TreeSet<>(known);
        names.addAll(paused.keySet());
        return names.stream().map(name -> {
            Pause pause = paused.get(name);
            return new Item(
                    kind,
                    name,
                    known.contains(name),
                    pause == null ? null : new Paused(pause.at(), pause.by(), pause.why()),
                    query.offered(kind + (pause == null ? ".pause" : ".resume")));
        });
    }
}
