package io.sagaspring.test.saga;

import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StepTransactions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A simulated process that a test can kill. A dead node cannot reach the store. */
final class Node {

    private final String name;
    private final List<CrashPoint> crashes;
    private @Nullable CrashPoint diedAt;
    private @Nullable CrashPoint diesWithCommit;

    Node(String name, List<CrashPoint> crashes) {
        this.name = name;
        this.crashes = crashes;
    }

    @Nullable
    CrashPoint diedAt() {
        return diedAt;
    }

    void dieIfAt(CrashPoint.When side, String step, RunId execution) {
        crashes.stream()
                .filter(each -> each.isAt(side, step, execution))
                .findFirst()
                .ifPresent(this::die);
    }

    private void die(CrashPoint at) {
        crashes.remove(at);
        diedAt = at;
        throw crash(at);
    }

    private NodeCrash crash(CrashPoint at) {
        return new NodeCrash("The test killed %s %s.".formatted(name, at));
    }

    /** Wraps the store for this node. Once the node is dead, its calls no longer reach the store. */
    RunStore over(RunStore store) {
        return (RunStore) Proxy.newProxyInstance(
                RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return call(store, method, arguments);
                    }
                    if (diedAt != null) {
                        throw crash(diedAt);
                    }
                    Object answer = call(store, method, arguments);
                    if (!Boolean.FALSE.equals(answer)) {
                        dieIfJournaled(store, arguments);
                    }
                    return answer;
                });
    }

    /** Wraps the queues for this node. Once the node is dead, its calls no longer reach the queues. */
    QueueStore over(QueueStore queues) {
        return (QueueStore) Proxy.newProxyInstance(
                QueueStore.class.getClassLoader(), new Class<?>[] {QueueStore.class}, (proxy, method, arguments) -> {
                    if (diedAt != null) {
                        throw crash(diedAt);
                    }
                    return call(queues, method, arguments);
                });
    }

    private static @Nullable Object call(Object store, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(store, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
    }

    /**
     * Kills the node after it has journaled the step of a crash point. Every method that journals has the run's
     * lease and the entries as its first two parameters.
     */
    private void dieIfJournaled(RunStore store, Object @Nullable [] arguments) {
        if (arguments == null || arguments.length < 2 || !(arguments[0] instanceof RunLease runLease)) {
            return;
        }
        if (arguments[1] instanceof Collection<?> entries && !entries.isEmpty() && !crashes.isEmpty()) {
            RunId execution = executionOf(store, runLease.id());
            crashes.stream()
                    .filter(each -> entries.stream()
                            .anyMatch(entry -> entry instanceof JournalEntry added && each.isBehind(execution, added)))
                    .findFirst()
                    .ifPresent(this::dieOnceItIsCommitted);
        }
    }

    /**
     * Returns the execution of a run. A fire-and-forget step has its own run, whose key begins with the execution's id.
     */
    private static RunId executionOf(RunStore store, RunId run) {
        return store.findRow(run)
                .map(RunRow::key)
                .filter(key -> key.endsWith(":fired"))
                .flatMap(key -> RunId.find(key.substring(0, key.indexOf(':'))))
                .orElse(run);
    }

    private void dieOnceItIsCommitted(CrashPoint at) {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            diesWithCommit = at;
        } else {
            die(at);
        }
    }

    /** Wraps the step transactions for this node. A node that is to die after journaling dies after the commit. */
    @SuppressWarnings("NullAway") // Some JDKs do not read type-use annotations in class files, which NullAway needs.
    StepTransactions over(StepTransactions transactions) {
        return (what, body, journal) -> {
            diesWithCommit = null;
            transactions.run(what, body, journal);
            if (diesWithCommit != null) {
                die(diesWithCommit);
            }
        };
    }
}
