package io.sagaspring.test.database;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A value that is created on first use, by one thread while the others wait. A failure is also remembered: later calls
 * fail immediately with the same exception.
 */
final class Once<T> {

    private final FutureTask<T> task;

    Once(Callable<T> maker) {
        this.task = new FutureTask<>(maker);
    }

    T get() {
        task.run();
        try {
            return task.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof RuntimeException known ? known : new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while another thread prepares the database", interrupted);
        }
    }
}
