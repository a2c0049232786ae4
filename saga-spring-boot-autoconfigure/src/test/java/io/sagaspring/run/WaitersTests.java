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
        waiters.executedHere(id);
        waiters.notExecutedHere(id, failed);
        waiters.executedHere(id);

        assertThat(waiters.await(id, Duration.ofMillis(1), () -> null)).isNull();
        looked.countDown();
        early.get(20, TimeUnit.SECONDS);
    }

    private static DataAccessException lost() {
        return new DataAccessResourceFailureException("lost", new SQLException("I/O error", "08006"));
    }

    @Test
    void aReadWhoseConnectionIsLostIsRepeatedUntilThePatienceIsOver() throws Exception {
        Waiters waiters = new Waiters();
        RunId id = RunId.next();
        RunEnd end = new RunEnd(id, "tale", RunState.FAILED, null, "no stock", null);
        AtomicInteger looks = new AtomicInteger();

        RunEnd found = waiters.await(id, Duration.ofSeconds(20), () -> {
            if (looks.incrementAndGet() < 4) {
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
    void aReadThatIsRefusedIsNotRepeated() {
        Waiters waiters = new Waiters();
        RunId id = RunId.next();
        AtomicInteger looks = new AtomicInteger();

        assertThatExceptionOfType(NoSuchRunException.class)
                .isThrownBy(() -> waiters.await(id, Duration.ofSeconds(20), () -> {
                    looks.incrementAndGet();
                    throw new NoSuchRunException(id);
                }));
        assertThat(looks).hasValue(1);
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
