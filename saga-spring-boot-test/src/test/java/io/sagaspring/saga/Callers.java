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

    private final MortalNode operatorNode;
    private final Supplier<RunId> id;
    private final ExecutorService threads;
    private final Consumer<String> lines;
    final Map<String, String> tokens = new HashMap<>();

    /** The waits for which a reply was accepted, whoever sent it. */
    private final Set<String> decided = new HashSet<>();

    /**
     * Creates the callers of a saga.
     *
     * @param threads the threads of the callers, which are outside the transaction of a step's code
     */
    Callers(MortalNode operatorNode, Supplier<RunId> id, ExecutorService threads, Consumer<String> lines) {
        this.operatorNode = operatorNode;
        this.id = id;
        this.threads = threads;
        this.lines = lines;
    }

    boolean isDecided(String wait) {
        return decided.contains(wait);
    }

    <T> T call(Supplier<T> work) {
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
                StepCallback unused = operatorNode.sagas.callback(id.get().toString(), step.name(), token);
                return false;
            } catch (NoSuchCallbackException refused) {
                return true;
            }
        });
        lines.accept(isRefused ? "forged" : "forged and taken for " + attempt);
    }

    void reply(Step step, int attempt, String key, boolean completes, String payload) {
        String answer = call(() -> {
            if (step.kind() == Kind.SIGNAL) {
                return text(operatorNode.sagas.signal(id.get(), step.name(), key, payload));
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

    /** Returns a callback without a token if the step has not begun, because then there is no token yet. */
    StepCallback callback(Step step, int attempt) {
        String token = tokens.get(step.name() + "." + attempt);
        return token == null
                ? operatorNode.sagas.callback(id.get(), step.name())
                : operatorNode.sagas.callback(id.get().toString(), step.name(), token);
    }

    static String text(SignalResult answer) {
        return switch (answer) {
            case ACCEPTED -> "applied";
            case REPEATED -> "repeated";
            case TOO_LATE -> "too late";
        };
    }

    static String text(CallbackResult answer) {
        return answer.applied()
                ? "applied"
                : "A callback with this key has already been accepted.".equals(answer.because())
                        ? "repeated"
                        : "too late";
    }
}
