package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;

class WaitersTests {

    @Test
    void aWaiterThatArrivesAfterARetryDoesNotReceiveTheEarlierEnd() throws Exception {
        Waiters waiters = new Waiters();
        RunId id = RunId.next();
        RunEnd failed = new RunEnd(id, "tale", RunState.FAILED, null, "no stock", null, null);
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        CompletableFuture<Void> early = CompletableFuture.runAsync(() -> {
            try {
                RunEnd unused = waiters.await(id, Duration.ofSeconds(5), () -> {
                    reading.countDown();
                    return awaited(mayReturn, failed);
                });
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
        waiters.executedHere(id);
        // The run may be retried between the commit of its end and this notification.
        waiters.notExecutedHere(id, failed);

        assertThat(waiters.await(id, Duration.ofMillis(1), () -> null)).isNull();
        waiters.executedHere(id);
        assertThat(waiters.await(id, Duration.ofMillis(1), () -> null)).isNull();
        mayReturn.countDown();
        early.get(20, TimeUnit.SECONDS);
    }

    private static DataAccessException lost() {
        return new DataAccessResourceFailureException("lost", new SQLException("I/O error", "08006"));
    }

    @Test
    void aReadIsRepeatedAfterALostConnectionUntilTheTimeoutPasses() throws Exception {
        Waiters waiters = new Waiters();
        RunId id = RunId.next();
        RunEnd end = new RunEnd(id, "tale", RunState.FAILED, null, "no stock", null, null);
        AtomicInteger reads = new AtomicInteger();

        RunEnd found = waiters.await(id, Duration.ofSeconds(20), () -> {
            if (reads.incrementAndGet() < 4) {
                throw lost();
            }
            return end;
        });

        assertThat(found).isEqualTo(end);
        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> waiters.await(id, Duration.ofMillis(50), () -> {
                    throw lost();
                }))
                .withMessageContaining("lost");
    }

    @Test
    void aReadOfAnUnknownRunIsNotRepeated() {
        Waiters waiters = new Waiters();
        RunId id = RunId.next();
        AtomicInteger reads = new AtomicInteger();

        assertThatExceptionOfType(NoSuchRunException.class)
                .isThrownBy(() -> waiters.await(id, Duration.ofSeconds(20), () -> {
                    reads.incrementAndGet();
                    throw new NoSuchRunException(id);
                }));
        assertThat(reads).hasValue(1);
    }

    private static RunEnd awaited(CountDownLatch mayReturn, RunEnd end) {
        try {
            mayReturn.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        return end;
    }
}
