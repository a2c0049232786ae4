package io.sagaspring.chaos;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import java.util.List;

/** Was started by an errand, inside its transaction, and tells it the word for which it waits. */
final class Answer implements DurableRun<String, String> {

    static final List<String> EFFECTS = List.of("tell");
    static final List<String> BOOKINGS = List.of("note");

    private final Office office;

    Answer(Office office) {
        this.office = office;
    }

    @Override
    public String name() {
        return "answer";
    }

    @Override
    public String run(RunContext run, String errand) throws Exception {
        run.transactionalStep("note", () -> office.book(run, "note"));
        run.step("tell", Long.class, () -> {
            long line = office.effect(run, "tell");
            var unused = office.runs().signal(RunId.of(errand), Errand.WORD, run.idempotencyKey(), "told by " + errand);
            return line;
        });
        return "told";
    }
}
