package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.run.SignalResult;
import io.sagaspring.saga.Script.Kind;
import io.sagaspring.saga.Script.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Signals a saga and calls back, as code outside its nodes does. */
final class Callers {

    private final MortalNode desk;
    private final Supplier<RunId> id;
    private final ExecutorService threads;
    private final Consumer<String> lines;
    final Map<String, String> tokens = new HashMap<>();

    /** Waits of which it is decided what ends them, whoever said it. */
    private final Set<String> decided = new HashSet<>();

    /**
     * Callers who have not called yet.
     *
     * @param threads where they call: not in the transaction of a body
     */
    Callers(MortalNode desk, Supplier<RunId> id, ExecutorService threads, Consumer<String> lines) {
        this.desk = desk;
        this.id = id;
        this.threads = threads;
        this.lines = lines;
    }

    boolean isDecided(String wait) {
        return decided.contains(wait);
    }

    <T> T elsewhere(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, threads).join();
    }

    void forge(Step step, int attempt) {
        List<String> forged = new ArrayList<>(List.of("nobody's", ""));
        tokens.forEach((of, token) -> {
            if (!of.startsWith(step.name() + ".")) {
                forged.add(token);
            }
        });
        boolean isRefused = forged.stream().allMatch(token -> {
            try {
                StepCallback unused = desk.sagas.callback(id.get().toString(), step.name(), token);
                return false;
            } catch (NoSuchCallbackException refused) {
                return true;
            }
        });
        lines.accept(isRefused ? "forged" : "forged and taken for " + attempt);
    }

    void tell(Step step, int attempt, String key, boolean completes, String payload) {
        String answer = elsewhere(() -> {
            if (step.kind() == Kind.SIGNAL) {
                return text(desk.sagas.signal(id.get(), step.name(), key, payload));
            }
            StepCallback callback = callback(step, attempt);
            return text(
                    completes ? callback.complete(key, payload) : callback.fail(key, new StepError("said", payload)));
        });
        lines.accept("tell %s %s -> %s".formatted(Script.id(step.name(), attempt), key, answer));
        if (answer.equals("applied")) {
            decided.add(Script.id(step.name(), attempt));
        }
    }

    /** Who is told before the step has begun has no token yet. */
    StepCallback callback(Step step, int attempt) {
        String token = tokens.get(step.name() + "." + attempt);
        return token == null
                ? desk.sagas.callback(id.get(), step.name())
                : desk.sagas.callback(id.get().toString(), step.name(), token);
    }

    static String text(SignalResult answer) {
        return switch (answer) {
            case ACCEPTED -> "applied";
            case REPEATED -> "repeated";
            case TOO_LATE -> "too late";
        };
    }

    static String text(CallbackResult answer) {
        return answer.applied() ? "applied" : "It was said before.".equals(answer.because()) ? "repeated" : "too late";
    }
}
