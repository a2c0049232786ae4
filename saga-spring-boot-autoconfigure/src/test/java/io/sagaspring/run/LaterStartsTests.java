package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests runs that begin after a delay or at a given time. */
class LaterStartsTests extends RunsOnPostgres {

    private static final Duration LONG = Duration.ofDays(3);

    @Test
    void aRunBeginsAfterItsDelayOnTheNodeThatStartedIt() throws Exception {
        RunNode node = added(RunNode.on(schema, connections, "node")
                        .tales(tale((run, input) -> effect(input)))
                        .poll(Duration.ofMinutes(5)))
                .opened();

        Instant before = databaseTime();
        RunHandle<String> handle = node.runs.start(Tale.class, "later", RunOptions.after(Duration.ofMillis(300)));

        // Only the node's own wake-up is early enough: the next poll follows in minutes.
        assertThat(handle.await(SOON)).isEqualTo("later");
        assertThat(node.runs.find(handle.id()).orElseThrow().endedAt()).isAfterOrEqualTo(before.plusMillis(300));
    }

    @Test
    void aRunThatBeginsLaterIsPendingUntilItsStartTime() {
        RunNode node = node(tale((run, input) -> effect(input)));
        Instant time = databaseTime().plus(LONG);

        RunId id = node.runs.start(Tale.class, "", RunOptions.at(time)).id();
        RunId control = node.runs.start(Tale.class, "now").id();

        awaitState(node, control, RunState.COMPLETED);
        RunView view = node.runs.find(id).orElseThrow();
        assertThat(view.state()).isEqualTo(RunState.PENDING);
        assertThat(Objects.requireNonNull(view.dueAt())).isBetween(time.minusMillis(1), time.plusMillis(1));
        assertThat(node.engine.backlog()).isEmpty();
        assertThat(effects).containsExactly("now");
    }

    @Test
    void aRunThatBeginsLaterStartsOnlyIfTheTransactionCommits() {
        RunNode node = node(tale((run, input) -> effect(input)));

        transaction.executeWithoutResult(status -> {
            RunHandle<String> unused =
                    node.runs.start(Tale.class, "", RunOptions.withKey("k").andAfter(LONG));
            status.setRollbackOnly();
        });

        assertThat(node.runs.find(Tale.class, "k")).isEmpty();
    }

    @Test
    void aRunThatIsCancelledBeforeItsStartTimeNeverBegins() {
        RunNode node = node(tale((run, input) -> {
            run.step("begin", () -> effect("begun"));
            return "";
        }));
        RunId id = node.runs.start(Tale.class, "", RunOptions.after(LONG)).id();

        assertThat(node.runs.cancel(id, "no longer needed")).isTrue();

        awaitState(node, id, RunState.CANCELLED);
        assertThat(effects).isEmpty();
    }

    @Test
    void earlierOptionsAreKeptWhenOtherOptionsAreAdded() {
        RunOptions options = RunOptions.withKey("k").andWithin(LONG).andAfter(Duration.ofHours(1));

        assertThat(options.key()).isEqualTo("k");
        assertThat(options.deadline()).isEqualTo(LONG);
        assertThat(options.startTime()).isEqualTo(StartTime.after(Duration.ofHours(1)));
        assertThat(options)
                .isEqualTo(RunOptions.after(Duration.ofHours(1)).andKey("k").andWithin(LONG));
        assertThat(options.andAt(Instant.EPOCH).startTime()).isEqualTo(StartTime.at(Instant.EPOCH));
    }

    @Test
    void aStartTimeThatCannotBeStoredIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RunOptions.after(Duration.ofSeconds(-1)))
                .withMessageContaining("must not be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RunOptions.at(Instant.MAX))
                .withMessageContaining("year 1 to the year 9999");
        assertThat(RunOptions.after(Duration.ofSeconds(Long.MAX_VALUE)).startTime())
                .isEqualTo(StartTime.after(StorageLimits.pause(Duration.ofSeconds(Long.MAX_VALUE))));
    }

    private static Instant databaseTime() {
        return jdbc.sql("SELECT clock_timestamp()")
                .query(java.time.OffsetDateTime.class)
                .single()
                .toInstant();
    }
}
