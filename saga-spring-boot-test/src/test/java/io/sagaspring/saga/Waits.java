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

/** Answers the waiting steps of a modelled saga. */
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

    /** Nobody waits for it any more. */
    void close(String id) {
        closed.add(id);
    }

    boolean tell(Step step, int number, String key, boolean completes, String payload) {
        String id = Script.id(step.name(), number);
        boolean isRepeated = keys.contains(step.name() + " " + key);
        boolean isLate = fate.over || fate.compensating || closed.contains(id) || replies.containsKey(id);
        lines.add("tell %s %s -> %s".formatted(id, key, isRepeated ? "repeated" : isLate ? "too late" : "applied"));
        if (isRepeated || isLate) {
            return false;
        }
        keys.add(step.name() + " " + key);
        replies.put(id, new Reply(completes, payload));
        return true;
    }

    @Nullable
    ModelledFailure waited(Step step, int attempt) {
        String id = Script.id(step.name(), attempt);
        if (replies.containsKey(id)) {
            return heard(step, attempt);
        }
        Answer answer = step.attempt(attempt).answer();
        if (answer == Answer.WHILE_SUSPENDED) {
            boolean unused = tell(step, attempt, "key " + id, true, id + ".said");
            fate.boundary(Fate.Next.PAUSE);
            return heard(step, attempt);
        }
        fate.boundary(Fate.Next.PAUSE);
        hearWaiting(step, attempt);
        Event event = fate.take(Where.WAIT, step, attempt, false);
        if (event != null) {
            fate.happen(event.stop());
            if (!event.answered()) {
                hearWaiting(step, attempt);
            }
        }
        return answered(step, attempt, id, answer);
    }

    private void hearWaiting(Step step, int attempt) {
        if (fate.isToStop()) {
            closed.add(Script.id(step.name(), attempt));
        }
        fate.hear(step);
    }

    private @Nullable ModelledFailure answered(Step step, int attempt, String id, Answer answer) {
        String key = "key " + id;
        String payload = id + ".said";
        switch (answer) {
            case SILENCE -> {
                closed.add(id);
                fate.doomAfter(Where.WAIT, step, attempt);
                return new ModelledFailure(StepError.TIMEOUT, true);
            }
            case FAIL -> tell(step, attempt, key, false, payload);
            case TWICE -> {
                tell(step, attempt, key, true, payload);
                tell(step, attempt, key, true, payload);
                tell(step, attempt, "other " + id, true, payload);
            }
            case FORGED -> {
                lines.add("forged");
                tell(step, attempt, key, true, payload);
            }
            case EXTENDED -> {
                lines.add("extend %s -> applied".formatted(id));
                hearWaiting(step, attempt);
                lines.add("waits on");
                tell(step, attempt, key, true, payload);
            }
            case STALE -> {
                tell(step, 1, "stale " + id, true, payload);
                tell(step, attempt, key, true, payload);
            }
            default -> tell(step, attempt, key, true, payload);
        }
        return heard(step, attempt);
    }

    @Nullable
    ModelledFailure heard(Step step, int attempt) {
        // Who has heard it is who begins what is next.
        fate.interrupted = false;
        fate.doomAfter(Where.WAIT, step, attempt);
        Reply reply = replies.get(Script.id(step.name(), attempt));
        if (reply == null || !reply.completed()) {
            return new ModelledFailure("said", true);
        }
        context.put(step.key(), reply.payload());
        return null;
    }
}
