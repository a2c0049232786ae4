package io.sagaspring.saga;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.Keeper;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunCatalog;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Runs;
import io.sagaspring.run.Timeouts;
import io.sagaspring.run.VisibleRuns;
import io.sagaspring.tenant.Tenants;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node that executes sagas on the calling thread, and dies when its watcher requests it. Nothing that the node does
 * after its death is durable.
 */
final class MortalNode implements AutoCloseable {

    private static final String KEY = "a-key-that-is-long-enough-for-a-test";
    private static final Duration LONG = Duration.ofDays(100_000);

    /**
     * Observes the writes of the node. The watcher can act directly before a write, and can make the node die directly
     * after the write.
     */
    interface Watcher {

        void writes(String call, List<JournalEntry> entries);

        Script.@Nullable Event diesAfter(List<JournalEntry> entries);
    }

    private final RunStore store;
    private final Watcher watcher;
    private final Keeper keeper;
    final RunEngine engine;
    final Runs runs;
    final Sagas sagas;

    /** The event that made the node die, or null while it is alive. */
    Script.@Nullable Event fatalEvent;

    MortalNode(Stage stage, Timeouts timeouts, Saga<?> saga, Watcher watcher) {
        this.store = stage.store();
        this.watcher = watcher;
        RunStore mortal = (RunStore) Proxy.newProxyInstance(
                RunStore.class.getClassLoader(),
                new Class<?>[] {RunStore.class},
                (proxy, method, given) -> call(method, given));
        SagaCode code = new SagaCode(
                new SagaCode.Parts(
                        List.of(saga),
                        type -> Optional.empty(),
                        List.of(KEY),
                        new VisibleRuns(mortal, Tenants.none()),
                        List.of(),
                        List.of()),
                timeouts);
        this.keeper = new Keeper(stage.connections(), Duration.ofSeconds(1), stage.ticks());
        this.engine = new RunEngine(
                new RunEngine.Parts(
                        mortal,
                        new RunCatalog(List.of(), code.code()),
                        new JsonPayloadCodec(100_000),
                        stage.transactions(),
                        List.of(),
                        Tenants.none()),
                keeper,
                Runnable::run,
                new RunEngine.Settings(
                        20,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(1),
                        new Pickup.Settings("runs", 1, Duration.ofSeconds(1), LONG, LONG, Duration.ZERO)),
                List.of());
        this.runs = engine.runs();
        this.sagas = new Sagas(() -> code, () -> engine);
    }

    private @Nullable Object call(Method method, @Nullable Object @Nullable [] given) throws Throwable {
        if (fatalEvent != null) {
            throw new IllegalStateException("The node is dead.");
        }
        List<JournalEntry> entries = entries(given);
        watcher.writes(method.getName(), entries);
        Object answer;
        try {
            answer = method.invoke(store, given);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
        if (!Boolean.FALSE.equals(answer)) {
            fatalEvent = watcher.diesAfter(entries);
        }
        return answer;
    }

    @SuppressWarnings("unchecked") // All lists have this element type.
    private static List<JournalEntry> entries(@Nullable Object @Nullable [] given) {
        return given != null && given.length > 1 && given[1] instanceof List<?> entries
                ? (List<JournalEntry>) entries
                : List.of();
    }

    @Override
    public void close() {
        engine.close();
        keeper.close();
    }
}
