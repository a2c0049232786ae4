package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Around;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests labels that are set at the start of a run and in its code. */
class LabelledRunsTests extends RunsOnPostgres {

    private static Map<String, String> labelsOf(RunNode node, RunId id) {
        return node.runs.find(id).orElseThrow().labels();
    }

    private static List<RunId> with(RunNode node, String name, String value) {
        return node.runs.list(node.runs.queryOf(Tale.class).withLabel(name, value)).stream()
                .map(RunView::id)
                .toList();
    }

    @Test
    void aRunIsFoundByTheLabelsOfItsStartAndOfItsCode() throws Exception {
        RunNode node = node(tale((run, input) -> {
            String carrier = run.step("book", String.class, () -> effect("dhl"));
            run.label("carrier", carrier);
            run.label("customer", "7");
            return input;
        }));

        RunHandle<String> handle = node.runs.start(
                Tale.class, "done", RunOptions.label("customer", "42").andLabel("country", "de"));

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(labelsOf(node, handle.id())).isEqualTo(Map.of("customer", "7", "country", "de", "carrier", "dhl"));
        assertThat(with(node, "carrier", "dhl")).containsExactly(handle.id());
        assertThat(with(node, "customer", "42")).isEmpty();
        assertThat(node.runs.count(node.runs.queryOf(Tale.class).withLabel("country", "de")))
                .isEqualTo(new RunCount(1, false));
        assertThat(node.runs.find(handle.id()).orElseThrow().steps())
                .extracting(RunView.StepView::step, RunView.StepView::kind, RunView.StepView::detail)
                .contains(tuple("label:carrier", "label", "dhl"));
    }

    @Test
    void aReplayedLabelIsNotJournaledAgain() {
        RunNode node = node(tale((run, input) -> {
            run.label("phase", "begun");
            run.step("one", () -> effect("one"));
            String word = run.awaitSignal("word", String.class);
            run.label("phase", word);
            return word;
        }));
        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.WAITING);
        assertThat(labelsOf(node, id)).isEqualTo(Map.of("phase", "begun"));

        SignalResult unused = node.runs.signal(id, "word", "over");

        awaitState(node, id, RunState.COMPLETED);
        assertThat(labelsOf(node, id)).isEqualTo(Map.of("phase", "over"));
        assertThat(node.runs.find(id).orElseThrow().steps())
                .extracting(RunView.StepView::step)
                .containsExactly("label:phase", "one", "word", "word", "label:phase");
        assertThat(effects).containsExactly("one");
    }

    @Test
    @ExpectsErrors("sets the label 'carrier' to 'ups'")
    void aLabelWithAnotherValueOnReplayBlocksTheRun() {
        AtomicReference<String> carrier = new AtomicReference<>("dhl");
        RunNode node = node(tale((run, input) -> {
            run.label("carrier", String.valueOf(carrier.get()));
            return run.awaitSignal("word", String.class);
        }));
        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.WAITING);
        carrier.set("ups");

        SignalResult unused = node.runs.signal(id, "word", "over");

        awaitState(node, id, RunState.BLOCKED);
        assertThat(node.runs.find(id).orElseThrow().error())
                .contains("sets the label 'carrier' to 'ups'", "has the value 'dhl'");
        assertThat(labelsOf(node, id)).isEqualTo(Map.of("carrier", "dhl"));
        carrier.set("dhl");
        assertThat(node.runs.retry(id)).isTrue();
        awaitState(node, id, RunState.COMPLETED);
    }

    @Test
    @ExpectsErrors("The code calls LABEL 'label:courier' at position")
    void aLabelWithAnotherNameOnReplayBlocksTheRun() {
        AtomicReference<String> name = new AtomicReference<>("carrier");
        RunNode node = node(tale((run, input) -> {
            run.label(String.valueOf(name.get()), "dhl");
            return run.awaitSignal("word", String.class);
        }));
        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.WAITING);
        name.set("courier");

        SignalResult unused = node.runs.signal(id, "word", "over");

        awaitState(node, id, RunState.BLOCKED);
        assertThat(labelsOf(node, id)).isEqualTo(Map.of("carrier", "dhl"));
    }

    @Test
    void labelsOfAStartThatRollsBackAreNotStored() {
        RunNode node = quietNode(tale((run, input) -> input));
        RunOptions options = RunOptions.withKey("k").andLabel("customer", "42");

        transaction.executeWithoutResult(status -> {
            RunHandle<String> unused = node.runs.start(Tale.class, "", options);
            status.setRollbackOnly();
        });

        assertThat(rows()).isZero();
        transaction.executeWithoutResult(status -> {
            RunHandle<String> unused = node.runs.start(Tale.class, "", options);
            assertThat(with(node, "customer", "42")).hasSize(1);
        });
        assertThat(with(node, "customer", "42")).hasSize(1);
        // A start that finds the existing run stores no label.
        assertThat(node.runs
                        .start(Tale.class, "", options.andLabel("more", "x"))
                        .isNew())
                .isFalse();
        assertThat(rows()).isOne();
    }

    private static int rows() {
        return jdbc.sql("SELECT count(*) FROM saga_label").query(Integer.class).single();
    }

    @Test
    void aLabelNeedsNoAdditionalStatement() {
        assertThat(statements(true)).isEqualTo(statements(false));
    }

    /** Returns the names of the statements that a node sends for one run. */
    private List<String> statements(boolean isLabelled) {
        List<String> sent = new CopyOnWriteArrayList<>();
        Interference interference = new Interference();
        RunNode node = added(RunNode.on(schema, interference.watched(connections), "node-" + nodes.size())
                .inline()
                .tales(tale((run, input) -> {
                    run.step("one", () -> effect("one"));
                    if (isLabelled) {
                        run.label("customer", "1");
                    }
                    run.step("two", () -> effect("two"));
                    return "done";
                })));
        interference.with(new Around() {
            @Override
            public void before(String sql, Connection connection) {
                int begin = sql.indexOf("/* saga:run.");
                if (begin >= 0) {
                    sent.add(sql.substring(begin, sql.indexOf("*/")));
                }
            }
        });
        RunOptions options = RunOptions.withKey(Boolean.toString(isLabelled));
        RunId id = node.runs
                .start(Tale.class, "", isLabelled ? options.andLabel("country", "de") : options)
                .id();
        int unused = node.engine.sweep();
        interference.none();
        assertThat(stateOf(node, id)).isEqualTo(RunState.COMPLETED);
        return sent.stream().map(each -> each.replace("-many", "")).toList();
    }

    @Test
    void theRunFailsIfItsCodeSetsAnInvalidLabel() {
        RunNode node = node(tale((run, input) -> {
            for (int each = 0; each <= Labels.MOST; each++) {
                run.label(input.isEmpty() ? "n" + each : "n", "x" + input);
            }
            return "";
        }));
        RunId many = node.runs.start(Tale.class, "").id();
        RunId control = node.runs.start(Tale.class, "\u0007").id();

        awaitState(node, many, RunState.FAILED);
        awaitState(node, control, RunState.FAILED);
        assertThat(node.runs.find(many).orElseThrow().error()).contains("at most 20 are allowed");
        assertThat(node.runs.find(control).orElseThrow().error())
                .contains("The value 'x\\u0007' of the label 'n' contains a control character");
    }

    @Test
    void noRunStartsIfItsCodeComputesAnInvalidLabel() throws Exception {
        RunCatalog.Code code = new RunCatalog.Code(
                "tale",
                Tale.class,
                tale((run, input) -> input),
                String.class,
                String.class,
                null,
                null,
                input -> Labels.with(Map.of(), "customer", input.toString()),
                null);
        RunNode node = added(RunNode.on(schema, connections, "node")
                        .code(List.of(code))
                        .slots(1))
                .opened();

        assertThatExceptionOfType(InvalidNameException.class).isThrownBy(() -> node.runs.start(Tale.class, " "));

        RunHandle<String> handle = node.runs.start(Tale.class, "42", RunOptions.label("country", "de"));
        assertThat(handle.await(SOON)).isEqualTo("42");
        assertThat(labelsOf(node, handle.id())).isEqualTo(Map.of("customer", "42", "country", "de"));
        assertThat(jdbc.sql("SELECT count(*) FROM saga_run")
                        .query(Integer.class)
                        .single())
                .isOne();
    }

    @Test
    void aLabelInsideAStepIsRefused() {
        RunNode node = node(tale((run, input) -> {
            run.step("one", () -> run.label("n", "x"));
            return "";
        }));
        RunId id = node.runs.start(Tale.class, "").id();

        awaitState(node, id, RunState.FAILED);
        assertThat(labelsOf(node, id)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "1st", "a b", "a:b", "a=b", "ä", "-a", "a\n", "a\0", "customer\uD800"})
    void aLabelNameThatIsNotAllowedIsRefused(String name) {
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> RunOptions.label(name, "x"))
                .withMessageContaining("Use a letter from A to Z");
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> RunQuery.all().withLabel(name, "x"));
    }

    @Test
    void aLabelNameHasAtMost100Characters() {
        assertThat(RunOptions.label("a".repeat(100), "x").labels()).hasSize(1);
        assertThatExceptionOfType(InvalidNameException.class).isThrownBy(() -> RunOptions.label("a".repeat(101), "x"));
    }

    @Test
    void aLabelValueThatIsNotAllowedIsRefused() {
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> RunOptions.label("note", "x".repeat(10_000)))
                .withMessage(
                        "The label 'note' has a value of 10000 characters, but at most 500 are allowed. Store long texts in the input of the run.");
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> RunOptions.label("note", "\u3000 "))
                .withMessage("The label 'note' has a blank value. Give it a value, or leave the label out.");
        for (String value : List.of("a\0b", "a\nb", "a\u0085", "\uD800", "x\uDC00y")) {
            assertThatExceptionOfType(InvalidNameException.class)
                    .isThrownBy(() -> RunOptions.label("note", value))
                    .withMessageContaining("contains a control character or an unpaired surrogate");
        }
        assertThat(RunOptions.label("note", "🚀".repeat(500)).labels()).hasSize(1);
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> RunOptions.label("note", "🚀".repeat(501)));
    }

    @Test
    void theTwentyFirstLabelIsRefused() {
        RunOptions options = RunOptions.none();
        for (int each = 0; each < Labels.MOST; each++) {
            options = options.andLabel("n" + each, "x");
        }
        RunOptions full = options.andLabel("n0", "another value");

        assertThat(full.labels()).hasSize(Labels.MOST).containsEntry("n0", "another value");
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> full.andLabel("one-more", "x"))
                .withMessageContaining("one-more")
                .withMessageContaining("at most 20 are allowed");
    }

    /** The longest label, in the characters that need the most bytes, fits into an entry of the index. */
    @Test
    void theLongestLabelCanBeStored() {
        RunNode node = quietNode(tale((run, input) -> input));
        StringBuilder value = new StringBuilder();
        new Random(7).ints(Labels.LONGEST_VALUE, 0x10000, 0x2FFFF).forEach(value::appendCodePoint);
        String name = "n".repeat(100);

        RunId id = node.runs
                .start(Tale.class, "", RunOptions.label(name, value.toString()))
                .id();

        assertThat(with(node, name, value.toString())).containsExactly(id);
    }

    @Test
    void labelsAreKeptWhenOtherOptionsAreAdded() {
        RunOptions options = RunOptions.label("customer", "42")
                .andKey("k")
                .andWithin(Duration.ofDays(1))
                .andAfter(Duration.ofHours(1));

        assertThat(options.labels()).isEqualTo(Map.of("customer", "42"));
        assertThat(options)
                .isEqualTo(RunOptions.withKey("k")
                        .andWithin(Duration.ofDays(1))
                        .andAfter(Duration.ofHours(1))
                        .andLabel("customer", "42"))
                .isNotEqualTo(options.andLabel("customer", "43"));
    }

    @Test
    void aCountNeedsALimitFromOneToAMillion() {
        RunNode node = quietNode(tale((run, input) -> input));

        for (int most : new int[] {0, -1, 1_000_001}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> node.runs.count(RunQuery.all(), most))
                    .withMessageContaining("from 1 to 1000000");
        }
        assertThat(node.runs.count(RunQuery.all(), 1)).isEqualTo(new RunCount(0, false));
    }
}
