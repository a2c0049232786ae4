package io.sagaspring.saga;

import io.sagaspring.fence.Keeper;
import io.sagaspring.run.Entry;
import io.sagaspring.run.RunNode;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Runs;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node that executes sagas on the thread that makes it look for them, and dies where its watcher says: from then on
 * nothing that it does is durable.
 */
final class MortalNode implements AutoCloseable {

    private static final Duration LONG = Duration.ofDays(100_000);

    /** What it writes, for who has something to say right before, or has it die right after. */
    interface Watcher {

        void writes(String call, List<Entry> entries);

        Script.@Nullable Event diesAfter(List<Entry> entries);
    }

    private final RunStore store;
    private final Watcher watcher;
    private final RunNode node;
    final Runs runs;
    final Sagas sagas;

    /** Why it is dead, if it is. */
    Script.@Nullable Event doom;

    MortalNode(Stage stage, Timeouts timeouts, Saga<?> saga, Watcher watcher) {
        this.store = stage.store();
        this.watcher = watcher;
        RunStore mortal = (RunStore) Proxy.newProxyInstance(
                RunStore.class.getClassLoader(),
                new Class<?>[] {RunStore.class},
                (proxy, method, given) -> call(method, given));
        SagaCode code = new SagaCode(
                new SagaCode.Parts(
                        List.of(saga), type -> Optional.empty(), List.of(SagaNode.KEY), mortal, List.of(), List.of()),
                timeouts);
        Keeper keeper = new Keeper(stage.connections(), Duration.ofSeconds(1), stage.ticks());
        this.node = RunNode.over(mortal, stage.transactions(), keeper)
                .code(code.code())
                .inline()
                .attempts(20)
                .slots(1)
                .poll(Duration.ofSeconds(1))
                .lease(LONG, LONG)
                .grace(Duration.ZERO)
                .build();
        this.runs = node.runs;
        this.sagas = new Sagas(() -> code, () -> runs);
    }

    private @Nullable Object call(Method method, @Nullable Object @Nullable [] given) throws Throwable {
        if (doom != null) {
            throw new IllegalStateException("The node is dead.");
        }
        List<Entry> entries = entries(given);
        watcher.writes(method.getName(), entries);
        Object answer;
        try {
            answer = method.invoke(store, given);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
        if (!Boolean.FALSE.equals(answer)) {
            doom = watcher.diesAfter(entries);
        }
        return answer;
    }

    @SuppressWarnings("unchecked") // There are no other lists.
    private static List<Entry> entries(@Nullable Object @Nullable [] given) {
        return given != null && given.length > 1 && given[1] instanceof List<?> entries
                ? (List<Entry>) entries
                : List.of();
    }

    @Override
    public void close() {
        node.close();
    }
}
