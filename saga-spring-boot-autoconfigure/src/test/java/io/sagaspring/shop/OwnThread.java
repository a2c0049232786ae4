package io.sagaspring.shop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Runs the other actor of a race on a separate thread. The common pool is not suitable: on a machine with two cores it
 * has only one thread, and an actor that waits for another actor would wait forever.
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
