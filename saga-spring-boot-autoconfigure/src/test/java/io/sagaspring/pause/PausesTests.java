package io.sagaspring.pause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.pause.Pause.Kind;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What a node knows about the pauses while it cannot read them. */
class PausesTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final Connections connections = new Connections();
    private Duration now = Duration.ofHours(1);
    private final Pauses pauses =
            new Pauses(SagaSchema.verify(database.dataSource(), null), new OwnTransactions(connections), () -> now);

    private final class Connections extends DelegatingDataSource {

        final AtomicInteger requests = new AtomicInteger();
        volatile boolean down;
        volatile CountDownLatch hanging = new CountDownLatch(0);

        Connections() {
            super(database.dataSource());
        }

        @Override
        public Connection getConnection() throws SQLException {
            requests.incrementAndGet();
            try {
                hanging.await();
            } catch (InterruptedException interrupted) {
                throw new SQLException(interrupted);
            }
            if (down) {
                now = now.plusSeconds(30);
                throw new SQLException("The database is down.");
            }
            return super.getConnection();
        }
    }

    @Test
    void withoutAnEarlierReadingAFailureIsThrown() {
        connections.down = true;

        assertThatException().isThrownBy(() -> pauses.names(Kind.JANITOR, SECOND));
    }

    @Test
    void aFailedReadingIsNotRepeatedByThoseWhoWaitedForIt() {
        assertThat(pauses.names(Kind.JANITOR, SECOND)).isEmpty();
        now = now.plusSeconds(2);
        connections.down = true;
        assertThat(pauses.names(Kind.JANITOR, SECOND)).isEmpty();
        int before = connections.requests.get();

        assertThat(pauses.names(Kind.JANITOR, SECOND)).isEmpty();

        assertThat(connections.requests).hasValue(before);
    }

    @Test
    void theChangesOfThisNodeApplyEvenIfTheNextReadingFails() {
        pauses.pause(Kind.JANITOR, "billing", "ada", "why");
        assertThat(pauses.names(Kind.JANITOR, SECOND)).containsExactly("billing");
        pauses.pause(Kind.JANITOR, "shop", "ada", "why");
        pauses.resume(Kind.JANITOR, "billing");
        connections.down = true;

        assertThat(pauses.names(Kind.JANITOR, SECOND)).containsExactly("shop");
    }

    @Test
    @Timeout(20)
    void aHangingDatabaseHoldsOneCallerOnly() throws Exception {
        pauses.pause(Kind.JANITOR, "billing", "ada", "why");
        assertThat(pauses.names(Kind.JANITOR, Duration.ZERO)).containsExactly("billing");
        CountDownLatch hanging = new CountDownLatch(1);
        connections.hanging = hanging;
        int before = connections.requests.get();
        CompletableFuture<Boolean> held = CompletableFuture.supplyAsync(
                () -> pauses.names(Kind.JANITOR, Duration.ZERO).isEmpty());
        while (connections.requests.get() == before) {
            Thread.onSpinWait();
        }

        assertThat(pauses.names(Kind.JANITOR, Duration.ZERO)).containsExactly("billing");

        assertThat(held).isNotDone();
        hanging.countDown();
        assertThat(held.get(10, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void aLongReasonIsNotCutWithinACharacter() {
        pauses.pause(Kind.RUN, "order", "ada", "x".repeat(999) + "\uD83D\uDE00");

        assertThat(pauses.all().get(0).why()).isEqualTo("x".repeat(999));
    }
}
