package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.RunView.StepView;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * Values that cannot be read back are rejected. An unreadable value that was already accepted does not block a run
 * permanently.
 */
@ExpectsErrors("is in doubt")
class UnreadableValuesTests extends RunsOnPostgres {

    private RunNode node(Tale.Code code) {
        RunNode node = RunNode.on(schema, connections, "node-" + nodes.size())
                .tales(new Tale("tale", code))
                .build()
                .opened();
        nodes.add(node);
        return node;
    }

    private static List<StepView> steps(RunNode node, RunId id) {
        return node.runs.find(id).orElseThrow().steps();
    }

    static Object nested(int depth) {
        Object value = List.of();
        for (int level = 1; level < depth; level++) {
            value = List.of(value);
        }
        return value;
    }

    static Stream<Object> unreadable() {
        return Stream.of(nested(201), nested(499), nested(600), new BigInteger("9".repeat(1_200)), "x".repeat(100_000));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void aSignalThatCannotBeReadBackIsNotAccepted(Object value) throws Exception {
        RunNode node = node((run, input) -> String.valueOf(run.awaitSignal("paid", JsonNode.class)));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.WAITING);

        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> node.runs.signal(handle.id(), "paid", value));
        assertThat(jdbc.sql("SELECT count(*) FROM saga_signal")
                        .query(Long.class)
                        .single())
                .isZero();

        node.runs.signal(handle.id(), "paid", 1);
        assertThat(handle.await(SOON)).isEqualTo("1");
    }

    @Test
    void aSignalOfTheWrongTypeIsRefusedAndTheNextSignalIsDelivered() throws Exception {
        Tale.Code code = (run, input) -> {
            int first = run.awaitSignal("count", Integer.class);
            String early = effect("first " + first);
            run.step("charge", String.class, () -> effect(early));
            return first + " "
                    + run.awaitSignal("count", Duration.ofMinutes(1), Integer.class)
                            .orElseThrow();
        };
        RunNode node = node(code);
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.WAITING);

        node.runs.signal(handle.id(), "count", "no number");
        await().atMost(SOON)
                .until(() -> steps(node, handle.id()).stream()
                        .anyMatch(step -> step.mark().equals("refused")));
        assertThat(steps(node, handle.id()))
                .filteredOn(step -> step.mark().equals("refused"))
                .singleElement()
                .satisfies(step -> assertThat(step.detail()).contains("java.lang.Integer"));

        node.runs.signal(handle.id(), "count", 7);
        node.runs.signal(handle.id(), "count", List.of());
        node.runs.signal(handle.id(), "count", 8);

        assertThat(handle.await(SOON)).isEqualTo("7 8");
        assertThat(steps(node, handle.id()))
                .extracting(StepView::mark)
                .filteredOn("refused"::equals)
                .hasSize(2);
    }

    @Test
    void aRunThatRefusedASignalCanBeCancelled() {
        RunNode node = node((run, input) -> {
            try {
                return String.valueOf(run.awaitSignal("count", Integer.class));
            } catch (RunStoppedException stopped) {
                run.step("tidy", String.class, () -> effect("tidied"));
                throw stopped;
            }
        });
        RunId id = node.runs.start(Tale.class, "").id();
        node.runs.signal(id, "count", "no number");
        await().atMost(SOON)
                .until(() ->
                        steps(node, id).stream().anyMatch(step -> step.mark().equals("refused")));

        assertThat(node.runs.cancel(id, "never mind")).isTrue();

        awaitState(node, id, RunState.CANCELLED);
        assertThat(effects).containsExactly("tidied");
    }

    @Test
    void theWaitForAReplyOfTheWrongTypeFailsOnEachReplay() throws Exception {
        RunNode node = node((run, input) -> {
            try {
                return String.valueOf(
                        run.awaitReply("answer", null, Integer.class).orElseThrow());
            } catch (StepFailedException unreadable) {
                run.step("note", String.class, () -> effect("noted"));
                run.awaitSignal("go on", String.class);
                return unreadable.why();
            }
        });
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        node.runs.reply(
                handle.id(),
                new RunReply("answer", "answer", null, node.runs.payloads().write("no number"), true));
        await().atMost(SOON).until(() -> effects.contains("noted"));
        awaitState(node, handle.id(), RunState.WAITING);

        node.runs.signal(handle.id(), "go on", "");

        assertThat(handle.await(SOON)).contains("java.lang.Integer");
        assertThat(effects).containsExactly("noted");
    }

    /** Starts a run whose node dies in a step that must not be repeated, and waits until the run is in doubt. */
    private RunId inDoubt(Tale.Code code) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        RunNode dead = node((run, input) -> run.step(Step.of("wire").notRepeatable(), String.class, () -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return "never";
        }));
        RunId id = dead.runs.start(Tale.class, "").id();
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        dead.engine.stop();
        jdbc.sql("UPDATE saga_run SET due_at = clock_timestamp() WHERE id = ?")
                .param(id.value())
                .update();
        awaitState(node(code), id, RunState.IN_DOUBT);
        return id;
    }

    private final Tale.Code wiring = (run, input) -> "wired "
            + run.step(
                    Step.of("wire").notRepeatable(),
                    Integer.class,
                    () -> effect("again").length());

    @Test
    @ExpectsErrors("Blocked run")
    void aResolutionOfTheWrongTypeBlocksTheRunUntilItIsCorrected() throws Exception {
        RunId id = inDoubt(wiring);
        RunNode node = nodes.get(1);

        assertThat(node.runs.resolveAsDone(id, "wire", "no number")).isTrue();
        awaitState(node, id, RunState.BLOCKED);
        assertThat(node.runs.find(id).orElseThrow().error()).contains("resolveAsDone", "java.lang.Integer");
        assertThat(node.runs.resolveAsDone(id, "wire", 7)).isTrue();

        assertThat(node.runs.handle(id, Tale.class).await(SOON)).isEqualTo("wired 7");
        assertThat(effects).isEmpty();
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aPersonCanReplaceAResolutionOfTheWrongTypeWithNotDone() throws Exception {
        RunId id = inDoubt(wiring);
        RunNode node = nodes.get(1);

        assertThat(node.runs.resolveAsDone(id, "wire", "no number")).isTrue();
        awaitState(node, id, RunState.BLOCKED);
        assertThat(node.runs.resolveAsNotDone(id, "wire")).isTrue();

        assertThat(node.runs.handle(id, Tale.class).await(SOON)).isEqualTo("wired 5");
        assertThat(effects).containsExactly("again");
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aRunBlockedByAResolutionCanBeCancelled() throws Exception {
        RunId id = inDoubt(wiring);
        RunNode node = nodes.get(1);
        assertThat(node.runs.resolveAsDone(id, "wire", "no number")).isTrue();
        awaitState(node, id, RunState.BLOCKED);

        assertThat(node.runs.cancel(id, "never mind")).isTrue();

        awaitState(node, id, RunState.CANCELLED);
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aCancelledRunStopsAtTheStepWhoseResultBecameReadable() throws Exception {
        AtomicReference<Class<?>> type = new AtomicReference<>(Integer.class);
        RunId id = inDoubt((run, input) -> {
            try {
                Object unused = run.step(Step.of("wire").notRepeatable(), type.get(), () -> null);
                return effect("went on");
            } catch (RunStoppedException stopped) {
                return run.awaitSignal("tidy", String.class);
            }
        });
        RunNode node = nodes.get(1);
        assertThat(node.runs.resolveAsDone(id, "wire", "no number")).isTrue();
        awaitState(node, id, RunState.BLOCKED);
        assertThat(node.runs.cancel(id, "never mind")).isTrue();
        awaitState(node, id, RunState.WAITING);

        type.set(String.class);
        node.runs.signal(id, "tidy", "");

        awaitState(node, id, RunState.CANCELLED);
        assertThat(effects).isEmpty();
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aSignalWrittenByAnotherCodecBlocksTheRunAndKeepsCompletedSteps() throws Exception {
        CountDownLatch signalled = new CountDownLatch(1);
        RunNode node = node((run, input) -> {
            // The signal arrives before the step's intent is written, so the run receives the signal without waiting.
            boolean unused = signalled.await(20, TimeUnit.SECONDS);
            run.step(Step.of("wire").notRepeatable(), String.class, () -> effect("wired"));
            return run.awaitSignal("paid", String.class);
        });
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        node.runs.signal(handle.id(), "paid", "yes");
        jdbc.sql("UPDATE saga_signal SET format = 'other'").update();

        signalled.countDown();
        awaitState(node, handle.id(), RunState.BLOCKED);
        assertThat(steps(node, handle.id())).extracting(StepView::mark).containsExactly("intent", "done");

        jdbc.sql("UPDATE saga_signal SET format = 'json'").update();
        assertThat(node.runs.retry(handle.id())).isTrue();
        assertThat(handle.await(SOON)).isEqualTo("yes");
        assertThat(effects).containsExactly("wired");
    }

    @Test
    void aResolutionThatCannotBeReadBackIsNotAccepted() throws Exception {
        RunId id = inDoubt(wiring);
        RunNode node = nodes.get(1);

        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> node.runs.resolveAsDone(id, "wire", nested(300)));
        assertThat(node.runs.find(id).orElseThrow().state()).isEqualTo(RunState.IN_DOUBT);
    }

    @Test
    void aRunStaysInDoubtIfItsResolversAnswerCannotBeRead() throws Exception {
        RunId id = inDoubt((run, input) -> "wired "
                + run.step(Step.of("wire").notRepeatable(key -> Optional.of("no number")), Integer.class, () -> 1));

        assertThat(nodes.get(1).runs.resolveAsDone(id, "wire", 7)).isTrue();

        assertThat(nodes.get(1).runs.handle(id, Tale.class).await(SOON)).isEqualTo("wired 7");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0", "a\0b", "\ud800", "\udfff", "x\ud800y", "\udfff\ud800", " "})
    void aBlankOrUnstorableNameIsRefused(String name) {
        RunNode node = node((run, input) -> {
            List<Runnable> calls = List.of(
                    () -> run.step(name, String.class, () -> ""),
                    () -> Step.of("name", name + "\ud800"),
                    () -> run.sleep(name, Duration.ZERO),
                    () -> run.awaitSignal(name, String.class),
                    () -> run.awaitSignal(name, Duration.ZERO, String.class),
                    () -> run.awaitReply(name, null, String.class));
            calls.forEach(each ->
                    assertThatExceptionOfType(InvalidNameException.class).isThrownBy(each::run));
            run.awaitSignal("\ud83d\ude80", String.class);
            return effect("refused");
        });
        RunId id = node.runs.start(Tale.class, "").id();

        assertThatExceptionOfType(InvalidNameException.class).isThrownBy(() -> node.runs.signal(id, name, ""));
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> node.runs.signal(id, "\ud83d\ude80", name, ""));
        assertThatExceptionOfType(InvalidNameException.class).isThrownBy(() -> RunOptions.withKey(name));
        node.runs.signal(id, "\ud83d\ude80", "");

        awaitState(node, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("refused");
    }

    @Test
    void aCancellationTakesEffectWhateverItsReasonContains() {
        RunNode node = node((run, input) -> run.awaitSignal("never", String.class));
        RunId id = node.runs.start(Tale.class, "").id();

        assertThat(node.runs.cancel(id, "never \0 mind")).isTrue();

        awaitState(node, id, RunState.CANCELLED);
        assertThat(node.runs.find(id).orElseThrow().cancelReason()).isEqualTo("never   mind");
    }

    sealed interface Payment permits Card {}

    record Card(String number, @JsonIgnore String code) implements Payment {}

    @Test
    void aStepWithAnUnreadableResultTypeFailsBeforeItRuns() {
        RunNode node = node((run, input) -> run.step("pay", Payment.class, () -> new Card(effect("paid"), ""))
                .toString());

        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).isEmpty();
        assertThat(node.runs.find(id).orElseThrow().error())
                .contains("The result of step 'pay' could not be read back", Payment.class.getName())
                .doesNotContain("changed");
    }

    @Test
    void aStepWhoseResultTypeLosesAFieldFailsBeforeItRuns() {
        RunNode node = node((run, input) -> run.step("pay", Card.class, () -> new Card(effect("paid"), "secret"))
                .code());

        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).isEmpty();
        assertThat(node.runs.find(id).orElseThrow().error()).contains("[code]", "would be lost");
    }

    @Test
    void aStepWhoseResultCannotBeStoredIsReportedAsHavingTakenEffect() {
        RunNode node = node((run, input) -> run.step("pay", String.class, () -> effect("paid") + "x".repeat(100_000)));

        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("paid");
        assertThat(node.runs.find(id).orElseThrow().error())
                .contains("Step 'pay' has taken effect, but its result is lost", "100000 are allowed");
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aRunWithUnreadableInputAndNoStepsCanBeCancelled() {
        RunNode node = node((run, input) -> input);
        RunNode starting = RunNode.on(schema, connections, "starting")
                .tales(new Tale("tale", (run, input) -> input))
                .build();
        nodes.add(starting);
        byte[] bytes = "[".repeat(250).concat("]".repeat(250)).getBytes(StandardCharsets.UTF_8);
        RunExecutions.NewRun newRun = new RunExecutions.NewRun(
                RunId.next(), "tale", null, null, new StoredValue("json", bytes), null, null, false);
        RunId id = starting.store.start(newRun).id();
        awaitState(node, id, RunState.BLOCKED);

        assertThat(node.runs.cancel(id, "never mind")).isTrue();

        awaitState(node, id, RunState.CANCELLED);
    }
}
