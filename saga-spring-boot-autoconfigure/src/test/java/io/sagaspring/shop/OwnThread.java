package io.sagaspring.shop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The other actor of a race. A thread of its own for each: on a machine of two cores the common pool has one, so that
 * two actors of whom one waits for the other would never meet.
 */
public final class OwnThread {

    private static final Executor EACH = task -> {
        Thread thread = new Thread(task, "other-actor");
        thread.setDaemon(true);
        thread.start();
    };

    private OwnThread() {}

    public static <T> CompletableFuture<T> call(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, EACH);
    }

    public static CompletableFuture<Void> run(Runnable work) {
        return CompletableFuture.runAsync(work, EACH);
    }
}
