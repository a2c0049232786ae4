package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.OwnTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A slow or failing database must not hold the threads of all requests for the front page. */
class OverviewTests {

    private final AtomicInteger readings = new AtomicInteger();

    private Overview overview(Supplier<Instant> now) {
        DashboardSources sources = new DashboardSources(new DefaultListableBeanFactory());
        Duration timeout = Duration.ofSeconds(2);
        OwnTransactions own = new OwnTransactions(new DriverManagerDataSource());
        BacklogHistory backlog = new BacklogHistory(sources, now);
        Trends trends = new Trends(sources, new EndedRuns(sources, own, 10), backlog, timeout, now);
        return new Overview(sources, new KindCounting(sources, timeout), trends, () -> {
            readings.incrementAndGet();
            return now.get();
        });
    }

    @Test
    void aFailureIsNotRepeatedForEachViewer() {
        Overview overview = overview(() -> {
            throw new IllegalStateException("the database is down");
        });

        for (int viewer = 0; viewer < 3; viewer++) {
            assertThatThrownBy(overview::latest).hasMessage("the database is down");
        }

        assertThat(readings).hasValue(1);
    }

    @Test
    @Timeout(20)
    void nobodyWaitsLongForAnotherRequest() throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        Overview overview = overview(() -> {
            try {
                slow.await();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
            return Instant.EPOCH;
        });
        CompletableFuture<Overview.Sample> first = CompletableFuture.supplyAsync(overview::latest);
        while (readings.get() == 0) {
            Thread.onSpinWait();
        }

        assertThatThrownBy(overview::latest)
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("Another request is reading the front page");

        slow.countDown();
        assertThat(first.get(10, TimeUnit.SECONDS).sampledAt()).isEqualTo(Instant.EPOCH);
        assertThat(readings).hasValue(1);
    }
}
