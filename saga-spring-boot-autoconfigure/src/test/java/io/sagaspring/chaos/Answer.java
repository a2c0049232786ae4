package io.sagaspring.chaos;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A run that an {@link Errand} starts inside a transactional step. It sends the signal that the errand is waiting for.
 */
final class Answer implements DurableRun<String, String> {

    static final List<String> EFFECTS = List.of("tell");
    static final List<String> BOOKINGS = List.of("note");

    private static final int TRIES = 100;

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
            signal(errand, run.idempotencyKey());
            return line;
        });
        return "told";
    }

    /**
     * Repeats the signal. A step that throws an exception has failed, so the step itself must repeat its work during a
     * database outage.
     */
    private void signal(String errand, String key) {
        for (int tries = 1; ; tries++) {
            try {
                var unused = office.runs().signal(RunId.of(errand), Errand.WORD, key, "told by " + errand);
                return;
            } catch (RuntimeException failed) {
                if (tries == TRIES) {
                    throw failed;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
    }
}
