package io.sagaspring.test.saga;

import io.sagaspring.saga.StepContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What steps did to the world, as somebody who honours effect keys sees it: called again with a key that is known, it does
 * nothing. A fake of such a service is one line:
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
     * @param key the effect key that came with it
     * @param what was to be done
     * @param isNew whether the key was unknown, so that it was done
     */
    public record Effect(String key, @Nullable Object what, boolean isNew) {}

    /**
     * Records what a step, or its undo, does.
     *
     * @param context of the attempt
     * @param what it does
     * @return whether it takes effect: no call with its key came before
     */
    public boolean record(StepContext<?> context, @Nullable Object what) {
        return record(context.effectKey(), what);
    }

    /**
     * Records what somebody was asked to do.
     *
     * @param key the effect key
     * @param what is to be done
     * @return whether it takes effect: no call with this key came before
     */
    public boolean record(String key, @Nullable Object what) {
        return locked(() -> {
            boolean isNew = calls.stream().noneMatch(each -> each.key().equals(key));
            calls.add(new Effect(key, what, isNew));
            return isNew;
        });
    }

    /**
     * All calls, in their order.
     *
     * @return also those whose key was known
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
