package io.sagaspring.test.saga;

import io.sagaspring.saga.StepContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The side effects of steps, recorded by a fake service that honors effect keys: a second call with the same key has no
 * effect. A fake of such a service needs one line:
 *
 * <pre>{@code
 * @Bean
 * Payments payments(EffectLog effects) {
 *     return (key, amount) -> effects.record(key, amount);
 * }
 * }</pre>
 *
 * @since 0.1.0
 */
public final class EffectLog {

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Effect> calls = new ArrayList<>();

    EffectLog() {}

    /**
     * One call.
     *
     * @param key the effect key of the call
     * @param what the description of the work
     * @param isNew true if no earlier call had the key, so that this call takes effect
     */
    public record Effect(String key, @Nullable Object what, boolean isNew) {}

    /**
     * Records a call by a step or its compensation.
     *
     * @param context the context of the attempt
     * @param what the description of the work
     * @return true if the call takes effect because no earlier call had its key
     */
    public boolean record(StepContext<?> context, @Nullable Object what) {
        return record(context.effectKey(), what);
    }

    /**
     * Records a call by its effect key.
     *
     * @param key the effect key
     * @param what the description of the work
     * @return true if the call takes effect because no earlier call had its key
     */
    public boolean record(String key, @Nullable Object what) {
        return locked(() -> {
            boolean isNew = calls.stream().noneMatch(each -> each.key().equals(key));
            calls.add(new Effect(key, what, isNew));
            return isNew;
        });
    }

    /**
     * Returns all calls in order.
     *
     * @return the calls, including those whose key was already known
     */
    public List<Effect> calls() {
        return locked(() -> List.copyOf(calls));
    }

    void clear() {
        boolean unused = locked(() -> calls.removeIf(each -> true));
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }
}
