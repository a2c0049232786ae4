package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WaitersTests {

    @Test
    void howARunEndedBeforeItWasRetriedIsNotToldToWhoWaitsAfterwards() throws Exception {
        Waiters waiters = new Waiters();
        RunId id = RunId.next();
        RunEnd failed = new RunEnd(id, "tale", RunState.FAILED, null, "no stock", null);
        CountDownLatch looking = new CountDownLatch(1);
        CountDownLatch looked = new CountDownLatch(1);
        CompletableFuture<Void> early = CompletableFuture.runAsync(() -> {
            try {
                RunEnd unused = waiters.await(id, Duration.ofSeconds(5), () -> {
                    looking.countDown();
                    return awaited(looked, failed);
                });
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(looking.await(20, TimeUnit.SECONDS)).isTrue();
        waiters.drivenHere(id);
        waiters.left(id, failed);
        waiters.drivenHere(id);

        assertThat(waiters.await(id, Duration.ofMillis(1), () -> null)).isNull();
        looked.countDown();
        early.get(20, TimeUnit.SECONDS);
    }

    private static RunEnd awaited(CountDownLatch looked, RunEnd end) {
        try {
            looked.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        return end;
    }
}
