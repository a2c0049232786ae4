package io.sagaspring.saga;

import io.sagaspring.saga.Script.Answer;
import io.sagaspring.saga.Script.Event;
import io.sagaspring.saga.Script.Step;
import io.sagaspring.saga.Script.Where;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Replies to the waiting steps of a modelled saga. */
final class Waits {

    private record Reply(boolean completed, String payload) {}

    private final Fate fate;
    private final List<String> lines;
    private final Map<String, Object> context;
    private final Map<String, Reply> replies = new HashMap<>();
    private final Set<String> closed = new HashSet<>();
    private final Set<String> keys = new HashSet<>();

    Waits(Fate fate, List<String> lines, Map<String, Object> context) {
        this.fate = fate;
        this.lines = lines;
        this.context = context;
    }

    boolean isAnswered(String id) {
        return replies.containsKey(id);
    }

    /** Ends the wait, so that later replies are too late. */
    void close(String id) {
        closed.add(id);
    }

    boolean reply(Step step, int number, String key, boolean completes, String payload) {
        String id = Script.id(step.name(), number);
        boolean isRepeated = keys.contains(step.name() + " " + key);
        boolean isLate = fate.ended || fate.compensating || closed.contains(id) || replies.containsKey(id);
        lines.add("tell %s %s -> %s".formatted(id, key, isRepeated ? "repeated" : isLate ? "too late" : "applied"));
        if (isRepeated || isLate) {
            return false;
        }
        keys.add(step.name() + " " + key);
        replies.put(id, new Reply(completes, payload));
        return true;
    }

    @Nullable
    ModelledFailure awaitReply(Step step, int attempt) {
        String id = Script.id(step.name(), attempt);
        if (replies.containsKey(id)) {
            return readReply(step, attempt);
        }
        Answer answer = step.attempt(attempt).answer();
        if (answer == Answer.WHILE_SUSPENDED) {
            boolean unused = reply(step, attempt, "key " + id, true, id + ".said");
            fate.boundary(Fate.Next.PAUSE);
            return readReply(step, attempt);
        }
        fate.boundary(Fate.Next.PAUSE);
        stopWaitIfRequested(step, attempt);
        Event event = fate.trigger(Where.WAIT, step, attempt, false);
        if (event != null) {
            fate.applyStop(event.stop());
            if (!event.answered()) {
                stopWaitIfRequested(step, attempt);
            }
        }
        return answered(step, attempt, id, answer);
    }

    private void stopWaitIfRequested(Step step, int attempt) {
        if (fate.isStopRequested()) {
            closed.add(Script.id(step.name(), attempt));
        }
        fate.stopIfRequested(step);
    }

    private @Nullable ModelledFailure answered(Step step, int attempt, String id, Answer answer) {
        String key = "key " + id;
        String payload = id + ".said";
        switch (answer) {
            case SILENCE -> {
                closed.add(id);
                fate.crashAfter(Where.WAIT, step, attempt);
                return new ModelledFailure(StepError.TIMEOUT, true);
            }
            case FAIL -> reply(step, attempt, key, false, payload);
            case TWICE -> {
                reply(step, attempt, key, true, payload);
                reply(step, attempt, key, true, payload);
                reply(step, attempt, "other " + id, true, payload);
            }
            case FORGED -> {
                lines.add("forged");
                reply(step, attempt, key, true, payload);
            }
            case EXTENDED -> {
                lines.add("extend %s -> applied".formatted(id));
                stopWaitIfRequested(step, attempt);
                lines.add("waits on");
                reply(step, attempt, key, true, payload);
            }
            case STALE -> {
                reply(step, 1, "stale " + id, true, payload);
                reply(step, attempt, key, true, payload);
            }
            default -> reply(step, attempt, key, true, payload);
        }
        return readReply(step, attempt);
    }

    @Nullable
    ModelledFailure readReply(Step step, int attempt) {
        // The node that has read the reply also begins the next step.
        fate.interrupted = false;
        fate.crashAfter(Where.WAIT, step, attempt);
        Reply reply = replies.get(Script.id(step.name(), attempt));
        if (reply == null || !reply.completed()) {
            return new ModelledFailure("said", true);
        }
        context.put(step.key(), reply.payload());
        return null;
    }
}
