package io.sagaspring.run;

import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rejects transactional steps, for an application that has no database whose transactions could include the journal.
 */
final class NoStepTransactions implements StepTransactions {

    @Override
    public void run(String description, Callable<? extends @Nullable Object> code, Consumer<@Nullable Object> journal) {
        throw new IllegalStateException(
                "%s must commit with its journal entry, but the application has no DataSource for this. Use a step that is not transactional, or store runs in the library's tables on PostgreSQL."
                        .formatted(description));
    }
}
