package io.sagaspring.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests keys that are free again as soon as their run has ended. */
class OpenKeysTests extends RunsOnPostgres {

    private static final RunOptions OPEN = RunOptions.withKey("k").whileOpen();

    private RunNode waitingNode() {
        return node(tale((run, input) -> run.awaitSignal("go", String.class)));
    }

    private static RunId waiting(RunNode node) {
        RunHandle<String> handle = node.runs.start(Tale.class, "", OPEN);
        assertThat(handle.isNew()).isTrue();
        awaitState(node, handle.id(), RunState.WAITING);
        return handle.id();
    }

    @Test
    void aStartFindsTheOpenRunAndAfterItsEndStartsAnother() throws Exception {
        RunNode node = waitingNode();
        RunId first = waiting(node);
        assertThat(node.runs.start(Tale.class, "again", OPEN)).satisfies(found -> {
            assertThat(found.isNew()).isFalse();
            assertThat(found.id()).isEqualTo(first);
        });
        assertThat(node.runs.find(Tale.class, "k")).map(RunView::id).contains(first);

        SignalResult unused = node.runs.signal(first, "go", "done");
        assertThat(node.runs.handle(first, Tale.class).await(SOON)).isEqualTo("done");

        assertThat(node.runs.find(Tale.class, "k")).isEmpty();
        RunId second = waiting(node);
        assertThat(second).isNotEqualTo(first);
        assertThat(node.runs.find(first).orElseThrow().key()).isEqualTo("k");
    }

    @Test
    void aKeyOfAnUncommittedStartIsFreeAfterTheRollback() {
        RunNode node = waitingNode();
        AtomicReference<RunId> rolledBack = new AtomicReference<>();

        transaction.executeWithoutResult(status -> {
            rolledBack.set(node.runs.start(Tale.class, "", OPEN).id());
            assertThat(node.runs.start(Tale.class, "", OPEN).id()).isEqualTo(rolledBack.get());
            status.setRollbackOnly();
        });

        assertThat(node.runs.find(Tale.class, "k")).isEmpty();
        assertThat(waiting(node)).isNotEqualTo(rolledBack.get());
    }

    /** The snapshot of the transaction still shows the ended run as open. The start must not return it. */
    @Test
    void aStartInAnOldSnapshotDoesNotFindARunThatHasEnded() throws Exception {
        RunNode node = waitingNode();
        RunId first = waiting(node);
        TransactionTemplate repeatable = new TransactionTemplate(new JdbcTransactionManager(connections));
        repeatable.setIsolationLevel(Connection.TRANSACTION_REPEATABLE_READ);
        AtomicReference<RunId> second = new AtomicReference<>();

        repeatable.executeWithoutResult(status -> {
            assertThat(jdbc.sql("SELECT state FROM saga_run")
                            .query(String.class)
                            .single())
                    .isEqualTo("waiting");
            endedElsewhere(node, first);
            second.set(node.runs.start(Tale.class, "", OPEN).id());
        });

        assertThat(second.get()).isNotEqualTo(first);
        assertThat(node.runs.find(Tale.class, "k")).map(RunView::id).contains(second.get());
    }

    private static void endedElsewhere(RunNode node, RunId id) {
        CountDownLatch ended = new CountDownLatch(1);
        Thread other = new Thread(() -> {
            SignalResult unused = node.runs.signal(id, "go", "done");
            awaitState(node, id, RunState.COMPLETED);
            ended.countDown();
        });
        other.start();
        try {
            assertThat(ended.await(SOON.toSeconds(), SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Test
    void aFailedRunIsNotRetriedWhileAnotherRunHasItsKey() throws Exception {
        RunNode node = node(tale((run, input) -> {
            if (input.equals("fails") && run.retries() == 0) {
                throw new IllegalStateException("no stock");
            }
            return run.awaitSignal("go", String.class);
        }));
        RunId failed = node.runs.start(Tale.class, "fails", OPEN).id();
        awaitState(node, failed, RunState.FAILED);
        RunId successor = waiting(node);

        assertThatThrownBy(() -> node.runs.retry(failed, "ann"))
                .isInstanceOf(KeyInUseException.class)
                .hasMessage(
                        "Run %s cannot be retried: run %s was started with its key 'k' meanwhile. Wait until that run has ended, or cancel it.",
                        failed, successor);
        assertThat(stateOf(node, failed)).isEqualTo(RunState.FAILED);

        assertThat(node.runs.cancel(successor, "not needed")).isTrue();
        awaitState(node, successor, RunState.CANCELLED);
        assertThat(node.runs.retry(failed, "ann")).isTrue();
        awaitState(node, failed, RunState.WAITING);
        assertThat(node.runs.start(Tale.class, "", OPEN).id()).isEqualTo(failed);
    }

    @Test
    void openKeysAndOtherOptionsGoTogether() {
        RunOptions options = OPEN.andWithin(SOON).andAfter(SOON).andLabel("customer", "42");

        assertThat(options.key()).isEqualTo("k");
        assertThat(options.startKey()).isEqualTo(new StartKey("k", StartKey.Kind.WHILE_OPEN));
        assertThat(options)
                .isEqualTo(RunOptions.within(SOON)
                        .andKey("k")
                        .andLabel("customer", "42")
                        .whileOpen()
                        .andAfter(SOON))
                .isNotEqualTo(
                        RunOptions.withKey("k").andWithin(SOON).andAfter(SOON).andLabel("customer", "42"));
        RunNode node = quietNode(tale((run, input) -> input));
        RunId later = node.runs.start(Tale.class, "", options).id();
        assertThat(node.runs
                        .start(Tale.class, "", OPEN.andLabel("customer", "7"))
                        .id())
                .isEqualTo(later);
        assertThat(node.runs.find(later).orElseThrow().labels()).containsEntry("customer", "42");
    }

    @Test
    void anImpossibleKeyIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RunOptions.none().whileOpen())
                .withMessage(
                        "whileOpen() has no effect without a key. Call withKey(\"…\") or andKey(\"…\") before it.");
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> RunOptions.withKey("\u0001ok"))
                .withMessage(
                        "The key of a run begins with the control character 1, which is reserved. Begin the key with another character.");
        assertThatExceptionOfType(InvalidNameException.class).isThrownBy(() -> RunOptions.withKey("k".repeat(501)));
        assertThatExceptionOfType(InvalidNameException.class).isThrownBy(() -> RunOptions.withKey(""));
    }

    /** Otherwise, an order without a number would silently start a second run. */
    @SuppressWarnings("NullAway") // The test passes the null that callers must not pass.
    @Test
    void aKeyThatIsNullIsRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> RunOptions.withKey(null))
                .withMessage("The key of a run must not be null. Pass a key, or start the run without one.");
    }

    @Test
    void anotherTextOfAKeyKeepsItsKind() {
        RunOptions options = RunOptions.withKey("a").whileOpen();

        assertThat(options.andKey("b")).isEqualTo(RunOptions.withKey("b").whileOpen());
        assertThat(options.andKey("b")).isNotEqualTo(RunOptions.withKey("b"));
    }

    /** The longest possible key must still fit into an entry of the index. */
    @Test
    void theLongestKeyIsStored() {
        RunNode node = quietNode(tale((run, input) -> input));
        String longest = IntStream.range(0, 250)
                .mapToObj(n -> Character.toString(0x1F600 + n))
                .collect(joining());
        RunOptions options = RunOptions.withKey(longest).whileOpen();

        RunId id = node.runs.start(Tale.class, "", options).id();

        assertThat(node.runs.start(Tale.class, "", options).id()).isEqualTo(id);
        assertThat(node.runs.find(Tale.class, longest)).isPresent();
    }
}
