package io.sagaspring.benchmarks;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Notifies callers when their flows end, for a contender that does not notify them itself. A caller also gets the
 * result if its flow ends before the caller begins to wait.
 */
final class Endings {

    private final Map<String, CompletableFuture<String>> open = new ConcurrentHashMap<>();

    void complete(String id, String result) {
        of(id).complete(result);
    }

    String await(String id) {
        try {
            return of(id).get(Ground.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw new IllegalStateException(
                    "The flow %s did not end within %d s".formatted(id, Ground.PATIENCE.toSeconds()), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        } finally {
            open.remove(id);
        }
    }

    private CompletableFuture<String> of(String id) {
        return open.computeIfAbsent(id, any -> new CompletableFuture<>());
    }
}
