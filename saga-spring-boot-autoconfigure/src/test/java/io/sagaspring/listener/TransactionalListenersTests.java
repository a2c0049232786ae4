package io.sagaspring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunCarrier;
import io.sagaspring.tenant.Tenants;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Tests listeners whose transaction also ends the delivery. */
class TransactionalListenersTests extends ListenersOnPostgres {

    /** A connection beside the transaction of the listener. */
    private static final JdbcClient beside = JdbcClient.create(database.dataSource());

    private Runnable afterBooking = () -> {};

    final class Books {

        final AtomicInteger calls = new AtomicInteger();

        @DurableListener(id = "books", key = "#placed.orderId()", attempts = 3, transactional = true)
        void placed(Placed placed) {
            calls.incrementAndGet();
            int unused = jdbc.sql("INSERT INTO booked (order_id, number) VALUES (?, ?)")
                    .params(placed.orderId(), placed.number())
                    .update();
            afterBooking.run();
        }
    }

    private final Books books = new Books();

    @BeforeEach
    void createTable() {
        jdbc.sql("DROP TABLE IF EXISTS booked").update();
        jdbc.sql("CREATE TABLE booked (order_id text NOT NULL, number integer NOT NULL)")
                .update();
    }

    private static List<Integer> booked() {
        return beside.sql("SELECT number FROM booked ORDER BY number")
                .query(Integer.class)
                .list();
    }

    private ListenerNode withBooks() {
        return node(ListenerNode.Settings.standard(), books);
    }

    @Test
    void theWritesOfTheListenerAndTheEndOfTheDeliveryAreCommittedTogether() {
        ListenerNode node = withBooks();
        node.engine.publish(new Placed("o1", 1));
        afterBooking = () -> {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            assertThat(booked()).isEmpty();
        };

        assertThat(node.sweep()).isOne();

        assertThat(booked()).containsExactly(1);
        assertThat(stored("books")).isZero();
        assertThat(node.events).containsExactly(DeliveryEvent.PUBLISHED, DeliveryEvent.DELIVERED);
    }

    @Test
    void anExceptionRollsBackTheWritesAndTheNextAttemptFollows() {
        ListenerNode node = withBooks();
        node.engine.publish(new Placed("o1", 1));
        node.engine.publish(new Placed("o1", 2));
        afterBooking = () -> {
            throw new IllegalStateException("down");
        };
        int unused = node.sweep();
        assertThat(booked()).isEmpty();
        assertThat(stored("books")).isEqualTo(2);

        afterBooking = () -> {};
        endPausesAndLeases();

        assertThat(node.sweep()).isEqualTo(2);
        assertThat(booked()).containsExactly(1, 2);
        assertThat(books.calls).hasValue(3);
    }

    /** The node was paused for longer than its lease. Another node has the delivery now, and books the order, too. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aNodeThatHasLostTheDeliveryRollsBackTheWrites(CapturedOutput output) {
        ListenerNode node = withBooks();
        node.engine.publish(new Placed("o1", 1));
        afterBooking = () -> {
            int taken = beside.sql("UPDATE saga_delivery SET token = token + 1, node = 'another'")
                    .update();
            assertThat(taken).isOne();
        };

        assertThat(node.sweep()).isOne();

        assertThat(booked()).isEmpty();
        assertThat(stored("books")).isOne();
        assertThat(node.events).containsExactly(DeliveryEvent.PUBLISHED);
        assertThat(output).contains("The writes of the delivery books:", "were rolled back, because another node");
    }

    @Test
    void aListenerThatSetsRollbackOnlyHasFailed() {
        ListenerNode node = withBooks();
        node.engine.publish(new Placed("o1", 1));
        afterBooking = () -> transaction.executeWithoutResult(TransactionStatus::setRollbackOnly);

        assertThat(node.sweep()).isOne();

        assertThat(booked()).isEmpty();
        assertThat(node.events).containsExactly(DeliveryEvent.PUBLISHED, DeliveryEvent.FAILED);
        assertThat(Objects.requireNonNull(beside.sql("SELECT last_error FROM saga_delivery")
                        .query(String.class)
                        .single()))
                .contains("rollback");
    }

    /** Fails after it has called the work once or twice. */
    private record Failing(int calls) implements RunCarrier {

        @Override
        public void capture(Map<String, String> carried) {}

        @Override
        public void restore(Map<String, String> carried, String run, Runnable work) {
            for (int call = 0; call < calls; call++) {
                work.run();
            }
            throw new IllegalStateException("no carrier");
        }
    }

    @ParameterizedTest
    @CsvSource({"1, no carrier", "2, Another node has taken over the delivery"})
    @ExtendWith(OutputCaptureExtension.class)
    void aFailureAfterTheCommitIsLoggedAndTheDeliveryIsDone(int calls, String failure, CapturedOutput output) {
        ListenerNode node =
                node(ListenerNode.Settings.standard().of(Tenants.none(), List.of(new Failing(calls))), books);
        node.engine.publish(new Placed("o1", 1));

        assertThat(node.sweep()).isOne();

        assertThat(booked()).containsExactly(1);
        assertThat(stored("books")).isZero();
        assertThat(node.events).containsExactly(DeliveryEvent.PUBLISHED, DeliveryEvent.DELIVERED);
        assertThat(output)
                .contains("is done, and the transaction of its listener was committed, but a failure occurred", failure)
                .doesNotContain("and another node has taken it over", "were rolled back");
    }
}
