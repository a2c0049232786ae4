package io.sagaspring.chaos;

import static io.sagaspring.run.Retry.retry;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Step;
import java.time.Duration;
import java.util.List;

/**
 * A run with each kind of step. The side effect of a step is a line of the ledger, whose number is the step's result. A
 * transactional step writes a row of {@code booked}.
 */
final class Errand implements DurableRun<String, String> {

    static final String WORD = "word";

    /** The step that fails twice, and has an effect at each attempt. */
    static final String HAGGLE = "haggle";

    static final int FAILED_ATTEMPTS = 2;

    /** The steps with a side effect outside the database, in the order in which they run. */
    static final List<String> EFFECTS = List.of("pay", "wire", "pack", "notify", HAGGLE);

    /** The transactional steps of every errand, in the order in which they run. */
    static final List<String> BOOKINGS = List.of("book", "ship");

    private final Office office;

    Errand(Office office) {
        this.office = office;
    }

    /** Returns true if the errand starts an {@link Answer}, which sends the signal. Otherwise a test sends it. */
    static boolean startsAnswer(String input) {
        return input.startsWith("asking");
    }

    /** Returns whether the last step keeps failing until a person retries the run. */
    static boolean isStubborn(String input) {
        return input.startsWith("GIVEN_UP");
    }

    /** Returns whether the run gets labels, both when it starts and from its code. */
    static boolean isLabelled(String input) {
        return input.startsWith("LABEL");
    }

    /** Returns whether the key of the run is free again when the run has ended. */
    static boolean hasOpenKey(String input) {
        return input.startsWith("OPEN_KEY");
    }

    /** Returns the options of the start of an errand. */
    static RunOptions optionsOf(String key) {
        RunOptions options = RunOptions.withKey(key);
        options = hasOpenKey(key) ? options.whileOpen() : options;
        return isLabelled(key) ? options.andLabel("order", key).andLabel("phase", "new") : options;
    }

    private static void label(RunContext run, String input, String name, String value) {
        if (isLabelled(input)) {
            run.label(name, value);
        }
    }

    @Override
    public String name() {
        return "errand";
    }

    @Override
    public String run(RunContext run, String input) throws Exception {
        String begun = run.now().toString();
        long paid = run.step("pay", Long.class, () -> office.effect(run, "pay"));
        label(run, input, "paid", Long.toString(paid));
        long wired = run.step(
                Step.of("wire").notRepeatable(office.ledger()::find), Long.class, () -> office.effect(run, "wire"));
        run.transactionalStep("book", () -> office.book(run, "book"));
        run.step("pack", Long.class, () -> office.effect(run, "pack"));
        label(run, input, "phase", "resting");
        run.sleep("rest", Duration.ofMillis(20));
        if (startsAnswer(input)) {
            run.transactionalStep("ask", () -> {
                office.book(run, "ask");
                var unusedHandle = office.runs()
                        .start(Answer.class, run.runId().toString(), RunOptions.withKey(run.idempotencyKey()));
            });
        }
        String word = run.awaitSignal(WORD, String.class);
        run.transactionalStep("ship", () -> office.book(run, "ship"));
        run.step("notify", Long.class, () -> office.effect(run, "notify"));
        long haggled = run.step(
                Step.of(HAGGLE).retry(retry().max(FAILED_ATTEMPTS + 1).delay(Duration.ofMillis(20))),
                Long.class,
                () -> office.haggle(run, isStubborn(input) && run.retries() == 0));
        if (haggled < paid) {
            throw new IllegalStateException("The haggling was done before the payment.");
        }
        label(run, input, "phase", "over");
        return "%s %s %d %d %s".formatted(input, begun, paid, wired, word);
    }
}
