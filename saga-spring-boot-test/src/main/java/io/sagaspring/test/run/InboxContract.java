package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunInbox.Signal;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunReply;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests signals and replies to a run. */
abstract class InboxContract extends EndContract {

    @Test
    void everyReadReturnsAllSignalsInTheirOrder() {
        RunId id = started();
        for (int each = 0; each < 12; each++) {
            RunStore store = each % 2 == 0 ? store() : another();
            assertThat(store.signal(id, each % 3 == 0 ? "other" : "paid", "key-" + each, stored("value-" + each)))
                    .isEqualTo(Answer.ACCEPTED);
        }

        List<Signal> paid = another().signals(id, "paid");

        assertThat(paid)
                .extracting(signal -> text(signal.value()))
                .containsExactly(
                        "text:value-1",
                        "text:value-2",
                        "text:value-4",
                        "text:value-5",
                        "text:value-7",
                        "text:value-8",
                        "text:value-10",
                        "text:value-11");
        assertThat(paid).extracting(Signal::name).containsOnly("paid");
        List<Long> numbers = Stream.concat(paid.stream(), store().signals(id, "other").stream())
                .sorted(Comparator.comparing(signal -> value(signal)))
                .map(Signal::number)
                .toList();
        assertThat(numbers).hasSize(12).isSorted().doesNotHaveDuplicates();
        assertThat(store().signals(id, "paid"))
                .extracting(Signal::number)
                .isEqualTo(paid.stream().map(Signal::number).toList());
        assertThat(store().signals(id, "PAID")).isEmpty();
        assertThat(store().signals(RunId.next(), "paid")).isEmpty();
        assertThat(store().signals(started(), "paid")).isEmpty();
    }

    static int value(Signal signal) {
        String text = Objects.requireNonNull(text(signal.value()));
        return Integer.parseInt(text.substring("text:value-".length()));
    }

    /** A repeated signal has no effect: it does not wake the run, and is not counted. */
    @Test
    void aSignalIsAcceptedOnce() {
        RunLease runLease = runLease();
        assertThat(store().signal(runLease.id(), "paid", "1", stored("first"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(runLease, List.of(), null, afterSignals(1))).isTrue();
        RunLease next = store().take(known, 1, MANY).stream()
                .findFirst()
                .map(PickedUpRun::runLease)
                .orElse(null);
        assertThat(next).as("signalled before it waited").isNull();

        assertThat(another().signal(runLease.id(), "paid", "1", stored("second")))
                .isEqualTo(Answer.REPEATED);
        assertThat(isPickedUp(runLease.id())).isFalse();
        assertThat(another().signal(runLease.id(), "sent", "1", stored("another")))
                .isEqualTo(Answer.ACCEPTED);
        assertThat(store().take(known, 1, MANY))
                .extracting(pickedUp -> pickedUp.controlState().signals())
                .containsExactly(2);
        assertThat(store().signals(runLease.id(), "paid"))
                .extracting(signal -> text(signal.value()))
                .containsExactly("text:first");
    }

    @Test
    void anEndedRunAcceptsNoSignal() {
        RunLease runLease = runLease();
        assertThat(store().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        store().end(runLease, List.of(), ending(RunState.COMPLETED));
        String before = seen(store(), runLease.id());

        assertThat(store().signal(runLease.id(), "paid", "2", stored("2"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.REPEATED);
        assertThat(store().cancel(runLease.id(), "enough")).isEqualTo(Answer.TOO_LATE);
        assertThat(store().signals(runLease.id(), "paid")).hasSize(1);
        assertThat(seen(store(), runLease.id())).isEqualTo(before);
    }

    @Test
    void anUnknownRunAcceptsNothing() {
        RunId unknown = RunId.next();

        assertThat(store().signal(unknown, "paid", "1", stored("1"))).isEqualTo(Answer.UNKNOWN);
        assertThat(store().reply(unknown, last("answer", "1", "1"))).isEqualTo(Answer.UNKNOWN);
        assertThat(store().note(unknown, "noted", "1")).isFalse();
        assertThat(store().notes(unknown)).isEmpty();
        assertThat(store().cancel(unknown, "enough")).isEqualTo(Answer.UNKNOWN);
        assertThat(store().retry(unknown)).isFalse();
        assertThat(store().resolve(unknown, done(0))).isFalse();
        assertThat(store().giveUp(unknown, "unknown", true)).isFalse();
        assertThat(store().find(unknown)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"IN_DOUBT", "BLOCKED", "PARKED", "COMPENSATION_FAILED"})
    void aRunThatWaitsForAPersonKeepsItsSignals(RunState state) {
        RunId id = left(state);

        assertThat(store().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);

        assertThat(state(id)).isEqualTo(state);
        assertThat(isPickedUp(id)).isFalse();
        assertThat(store().signals(id, "paid")).hasSize(1);
    }

    @Test
    void aReplyReachesTheRunAndCountsAsASignal() {
        RunLease runLease = runLease();
        RunId id = runLease.id();

        assertThat(another().reply(id, last("answer", "1", "first"))).isEqualTo(Answer.ACCEPTED);

        assertThat(replies(store(), id, "answer")).containsExactly("text:first");
        assertThat(store().suspend(runLease, List.of(), null, afterSignals(0))).isFalse();
        assertThat(store().conclude(runLease, done(0, 1), afterSignals(0))).isFalse();
        assertThat(store().checkpoint(runLease, List.of())).isEqualTo(afterSignals(1));
        assertThat(another().reply(id, last("another", "2", "second"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().checkpoint(runLease, List.of())).isEqualTo(afterSignals(2));
        assertThat(replies(another(), id, "another")).containsExactly("text:second");
        assertThat(replies(store(), id, "answer")).containsExactly("text:first");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReplyWakesARunThatWaits(boolean isLast) {
        for (Duration pause : Arrays.asList(null, LONG)) {
            RunLease runLease = runLease();
            assertThat(suspended(runLease, pause)).isTrue();

            assertThat(another()
                            .reply(runLease.id(), isLast ? last("answer", null, "1") : further("answer", null, "1")))
                    .isEqualTo(Answer.ACCEPTED);

            assertThat(state(runLease.id())).isEqualTo(RunState.WAITING);
            assertThat(store().take(known, 10, MANY)).hasSize(1).allSatisfy(pickedUp -> {
                assertThat(pickedUp.runLease().id()).isEqualTo(runLease.id());
                assertThat(pickedUp.controlState()).isEqualTo(afterSignals(1));
            });
        }
    }

    @Test
    void noReplyIsAcceptedAfterTheLastOne() {
        RunLease runLease = runLease();
        RunId id = runLease.id();
        assertThat(store().reply(id, further("answer", null, "1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(another().reply(id, further("answer", null, "1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().reply(id, further("answer", "3", "3"))).isEqualTo(Answer.ACCEPTED);
        assertThat(another().reply(id, last("answer", null, "4"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(runLease, List.of(), null, afterSignals(4))).isTrue();
        String before = seen(store(), id);

        assertThat(store().reply(id, last("answer", null, "4"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(id, last("answer", "5", "5"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(id, further("answer", null, "6"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(id, further("answer", "7", "7"))).isEqualTo(Answer.TOO_LATE);

        assertThat(seen(another(), id)).isEqualTo(before);
        assertThat(isPickedUp(id)).isFalse();
        assertThat(replies(another(), id, "answer")).containsExactly("text:1", "text:1", "text:3", "text:4");
        assertThat(store().reply(id, last("another", null, "8"))).isEqualTo(Answer.ACCEPTED);
    }

    /**
     * The sender chooses the scope of a reply's key, and the scope does not depend on the wait. A repeated reply is
     * therefore recognized even if it is addressed to another wait.
     */
    @Test
    void aReplyWithAKnownKeyOfItsScopeIsADuplicate() {
        RunLease runLease = runLease();
        RunId id = runLease.id();
        assertThat(store().reply(id, further("answer", "1", "first"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(runLease, List.of(), null, afterSignals(1))).isTrue();
        String before = seen(store(), id);

        assertThat(another().reply(id, further("answer", "1", "first"))).isEqualTo(Answer.REPEATED);
        assertThat(another().reply(id, last("answer", "1", "second"))).isEqualTo(Answer.REPEATED);
        assertThat(another().reply(id, last("another", "1", "third"))).isEqualTo(Answer.REPEATED);
        assertThat(isPickedUp(id)).isFalse();
        assertThat(seen(another(), id)).isEqualTo(before);
        assertThat(replies(store(), id, "answer")).containsExactly("text:first");
        assertThat(replies(store(), id, "another")).isEmpty();

        RunId other = started();
        assertThat(store().reply(other, last("answer", "1", "1"))).isEqualTo(Answer.ACCEPTED);
        RunReply elsewhere = new RunReply("answer", "another scope", "1", stored("fourth"), true);
        assertThat(store().reply(id, elsewhere)).isEqualTo(Answer.ACCEPTED);
        assertThat(store().reply(id, elsewhere)).as("too late, and repeated").isEqualTo(Answer.REPEATED);
    }

    @Test
    void aReplyThatCameTooLateDoesNotUseUpItsKey() {
        RunId id = started();
        assertThat(store().reply(id, last("answer", null, "1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().reply(id, last("answer", "2", "2"))).isEqualTo(Answer.TOO_LATE);

        assertThat(store().reply(id, last("answer", "2", "2"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(id, last("another", "2", "2"))).isEqualTo(Answer.ACCEPTED);
    }

    @ParameterizedTest
    @CsvSource({"SIGNAL, TIMED_OUT", "STOP, DONE", "STOP, TIMED_OUT", "STOP_AMID, DONE", "STOP_AMID, TIMED_OUT"})
    void aReplyIsTooLateWhenTheWaitHasEnded(Call call, Mark mark) {
        for (boolean concluded : List.of(true, false)) {
            RunLease runLease = runLease();
            List<JournalEntry> conclusion = List.of(done(0), entry(1, "answer", call, mark, null));
            if (concluded) {
                assertThat(store().conclude(runLease, conclusion, afterSignals(0)))
                        .isTrue();
            } else {
                ControlState unused = store().checkpoint(runLease, conclusion);
            }
            assertThat(suspended(runLease, null)).isTrue();
            String before = seen(store(), runLease.id());

            assertThat(another().reply(runLease.id(), last("answer", "1", "1"))).isEqualTo(Answer.TOO_LATE);
            assertThat(another().reply(runLease.id(), further("answer", null, "1")))
                    .isEqualTo(Answer.TOO_LATE);

            assertThat(seen(another(), runLease.id())).isEqualTo(before);
            assertThat(isPickedUp(runLease.id())).isFalse();
            assertThat(store().signals(runLease.id(), "answer")).isEmpty();
            assertThat(another().reply(runLease.id(), last("another", "1", "1")))
                    .isEqualTo(Answer.ACCEPTED);
        }
    }

    @ParameterizedTest
    @CsvSource({"SIGNAL, WAITING", "SIGNAL, DONE", "STEP, DONE", "STEP, FAILED", "SLEEP, WAITING"})
    void aReplyIsInTimeUnlessTheJournalEndsTheWait(Call call, Mark mark) {
        RunLease runLease = runLease();
        ControlState unused = store().checkpoint(
                        runLease,
                        List.of(
                                entry(0, "answer", call, mark, null),
                                timedOut(1, "another"),
                                entry(2, "answer:2", Call.STOP, Mark.DONE, null)));

        assertThat(another().reply(runLease.id(), last("answer", "1", "1"))).isEqualTo(Answer.ACCEPTED);
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED"})
    void anEndedRunAcceptsNoReply(RunState state) {
        RunLease runLease = runLease();
        assertThat(store().reply(runLease.id(), further("answer", "1", "1"))).isEqualTo(Answer.ACCEPTED);
        store().end(runLease, List.of(), ending(state));
        String before = seen(store(), runLease.id());

        assertThat(store().reply(runLease.id(), last("answer", "2", "2"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(runLease.id(), further("another", null, "2"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(runLease.id(), further("answer", "1", "1"))).isEqualTo(Answer.REPEATED);
        assertThat(seen(another(), runLease.id())).isEqualTo(before);
        assertThat(replies(store(), runLease.id(), "answer")).containsExactly("text:1");
    }

    @Test
    void aCompensatingRunAcceptsNoReply() {
        RunLease runLease = compensating();
        assertThat(suspended(runLease, null)).isTrue();
        RunId failed = leftCompensated(RunState.COMPENSATION_FAILED);

        assertThat(store().reply(runLease.id(), last("answer", "1", "1"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(failed, further("answer", null, "1"))).isEqualTo(Answer.TOO_LATE);

        assertThat(isPickedUp(runLease.id())).isFalse();
        assertThat(store().signals(runLease.id(), "answer")).isEmpty();
        assertThat(store().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(isPickedUp(runLease.id())).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"IN_DOUBT", "BLOCKED", "PARKED"})
    void aRunThatWaitsForAPersonKeepsItsReplies(RunState state) {
        RunId id = left(state);

        assertThat(store().reply(id, last("answer", "1", "1"))).isEqualTo(Answer.ACCEPTED);

        assertThat(state(id)).isEqualTo(state);
        assertThat(isPickedUp(id)).isFalse();
        assertThat(replies(store(), id, "answer")).containsExactly("text:1");
    }
}
