package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.run.RunExecutions;
import io.sagaspring.run.RunId;
import io.sagaspring.run.StartKey;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;

/** On PostgreSQL, losing the reply to the replacement of an input puts no older input over a newer one. */
abstract class LostReplacementsContract extends LostAnswersContract {

    LostReplacementsContract(RunDatabase database) {
        super(database);
    }

    private static RunExecutions.NewRun replaceable(String input) {
        return new RunExecutions.NewRun(
                RunId.next(),
                "lost",
                new StartKey("key", StartKey.Kind.UNTIL_BEGUN),
                null,
                stored(input),
                NOTHING,
                null,
                null,
                false,
                null,
                Map.of());
    }

    /** The start must not be sent again: it would put its input over the input of the later start. */
    @Test
    void aReplacementWhoseCommitIsNotAcknowledgedDoesNotReplaceALaterInput() throws Exception {
        RunId first = store().start(replaceable("one")).id();
        LosingDataSource losing = new LosingDataSource(
                "COMMIT",
                () -> assertThat(another().start(replaceable("three")).id()).isEqualTo(first));

        assertThat(losing.store().start(replaceable("two")).id()).isEqualTo(first);

        assertThat(losing.isLost).isTrue();
        assertThat(text(pickUp(first).input())).isEqualTo("text:three");
    }

    @Test
    void aReplacementThatWasNotCommittedChangesNothing() throws Exception {
        RunId first = store().start(replaceable("one")).id();
        LosingDataSource losing = new LosingDataSource("saga:run.replace */", () -> {});

        assertThatThrownBy(() -> losing.store().start(replaceable("two")))
                .isInstanceOf(DataAccessResourceFailureException.class);

        assertThat(losing.isLost).isTrue();
        assertThat(text(pickUp(first).input())).isEqualTo("text:one");
    }
}
