package io.sagaspring.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class TransactionPhaseTests {

    private static final TestDatabase database = TestDatabase.create();

    private final JdbcTransactionManager manager = new JdbcTransactionManager(database.dataSource());
    private final List<String> phases = new ArrayList<>();

    TransactionPhaseTests() {
        manager.addListener(TransactionPhase.listener());
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    private void note(String when) {
        phases.add(when + (TransactionPhase.isActive() ? ": active" : ": not"));
    }

    private void inNew(Runnable work) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        template.executeWithoutResult(status -> work.run());
    }

    private final class Callbacks implements TransactionSynchronization {
        @Override
        public void beforeCommit(boolean readOnly) {
            note("before the commit");
        }

        @Override
        public void beforeCompletion() {
            note("before the completion");
        }

        @Override
        public void afterCommit() {
            note("after the commit");
            inNew(() -> note("in a new one"));
            new TransactionTemplate(manager).executeWithoutResult(status -> note("in one that takes part"));
            note("after the commit still");
        }

        @Override
        public void afterCompletion(int status) {
            note("after the completion");
            inNew(() -> note("in a new one"));
            note("after the completion still");
        }
    }

    @Test
    void aTransactionIsActiveUntilItsCommitButNotInLaterCallbacks() {
        note("before");
        inNew(() -> {
            TransactionSynchronizationManager.registerSynchronization(new Callbacks());
            note("inside");
            inNew(() -> note("in a new one"));
            note("inside still");
        });
        note("behind");

        assertThat(phases)
                .containsExactly(
                        "before: not",
                        "inside: active",
                        "in a new one: active",
                        "inside still: active",
                        "before the commit: active",
                        "before the completion: active",
                        "after the commit: not",
                        "in a new one: active",
                        "in one that takes part: not",
                        "after the commit still: not",
                        "after the completion: not",
                        "in a new one: active",
                        "after the completion still: not",
                        "behind: not");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionIsNotActiveAfterItsRollback(boolean withListener) {
        JdbcTransactionManager any = withListener ? manager : new JdbcTransactionManager(database.dataSource());
        new TransactionTemplate(any).executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int outcome) {
                    note("after the completion");
                }
            });
            status.setRollbackOnly();
        });
        note("behind");

        assertThat(phases).containsExactly("after the completion: not", "behind: not");
    }

    private record LeavesBehind(Object phase) implements TransactionSynchronization {
        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.bindResource(TransactionPhase.class, phase);
        }
    }

    @Test
    void aPhaseLeftBehindByAnotherTransactionIsIgnored() {
        AtomicReference<Object> left = new AtomicReference<>();
        inNew(() -> left.set(
                Objects.requireNonNull(TransactionSynchronizationManager.getResource(TransactionPhase.class))));
        TransactionSynchronizationManager.bindResource(TransactionPhase.class, left.get());
        try {
            inNew(() -> {
                note("inside");
                inNew(() -> {
                    note("in a new one");
                    TransactionSynchronizationManager.registerSynchronization(new LeavesBehind(left.get()));
                });
                note("inside still");
            });

            assertThat(TransactionSynchronizationManager.hasResource(TransactionPhase.class))
                    .isFalse();
        } finally {
            TransactionSynchronizationManager.unbindResourceIfPossible(TransactionPhase.class);
        }
        assertThat(phases).containsExactly("inside: active", "in a new one: active", "inside still: active");
    }
}
