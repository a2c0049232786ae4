package io.sagaspring.run;

import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Refuses transactional steps where the application has no database whose transactions could commit with the journal. */
final class NoStepTransactions implements StepTransactions {

    @Override
    public void run(String what, Callable<? extends @Nullable Object> body, Consumer<@Nullable Object> journal) {
        throw new IllegalStateException(
                "%s is to commit with its journal, and the application has no DataSource for that. Use a step that is not transactional, or keep runs in the library's tables on PostgreSQL."
                        .formatted(what));
    }
}
