package io.sagaspring.test.saga;

import io.sagaspring.run.RunId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls the code of the steps of runs. It counts the calls, and makes nodes die and attempts fail where a test wants it. */
final class StepCalls {

    private final Supplier<Node> node;
    private final List<Call> calls = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();

    private record Call(RunId run, String step) {}

    private record Failure(Call call, Supplier<? extends Exception> exception) {}

    StepCalls(Supplier<Node> node) {
        this.node = node;
    }

    /** Lets the next calls of a step fail after its code has returned. */
    void fail(RunId run, String step, int times, Supplier<? extends Exception> exception) {
        for (int each = 0; each < times; each++) {
            failures.add(new Failure(new Call(run, step), exception));
        }
    }

    @Nullable
    Object call(RunId run, String step, Callable<? extends @Nullable Object> code) throws Exception {
        Call call = new Call(run, step);
        node.get().dieIfAt(CrashPoint.When.BEFORE_BODY, step, run);
        calls.add(call);
        Object result = code.call();
        node.get().dieIfAt(CrashPoint.When.AFTER_BODY, step, run);
        Optional<Failure> failure =
                failures.stream().filter(each -> each.call().equals(call)).findFirst();
        if (failure.isPresent()) {
            failures.remove(failure.get());
            throw failure.get().exception().get();
        }
        return result;
    }

    long count(RunId run, String step) {
        return calls.stream().filter(new Call(run, step)::equals).count();
    }

    void clear() {
        calls.clear();
        failures.clear();
    }
}
