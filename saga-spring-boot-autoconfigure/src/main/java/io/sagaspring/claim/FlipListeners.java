package io.sagaspring.claim;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * The application's listeners of flips. If a listener throws an exception, this class passes it to the caller that
 * claims, completes, releases or reverts.
 */
final class FlipListeners {

    private static final String TASK = "A FlipListener's statement failed";

    private final List<FlipListener> listeners;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    FlipListeners(List<FlipListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /** Returns true if there are no listeners. Without listeners, a flip by one statement needs no other statement. */
    boolean areNone() {
        return listeners.isEmpty();
    }

    /**
     * Runs a transaction that ends a claim. If a listener fails, the caller gets the listener's exception, even if the
     * rollback fails, too.
     */
    <T extends @Nullable Object> T calledIn(Function<FlipCalls, T> transaction) {
        return unwrapped(() -> attempted(transaction));
    }

    /**
     * Runs a transaction that may be attempted again after a lost reply. An exception of a listener ends the attempts.
     * No further attempt is needed: a listener is called only after a successful flip, and such a flip shows that no
     * earlier attempt holds the claim.
     *
     * @throws Threw if a listener threw an exception
     */
    <T extends @Nullable Object> T attempted(Function<FlipCalls, T> transaction) {
        FlipCalls calls = new FlipCalls(listeners);
        try {
            return transaction.apply(calls);
        } catch (RuntimeException | Error failed) {
            Throwable cause = calls.cause(failed);
            if (cause == failed) {
                throw failed;
            }
            throw new Threw(cause);
        }
    }

    /** Runs attempts, and converts the exception of a listener to the exception for the caller. */
    <T extends @Nullable Object> T unwrapped(Supplier<T> attempts) {
        try {
            return attempts.get();
        } catch (Threw threw) {
            throw forCaller(threw.thrown);
        }
    }

    private RuntimeException forCaller(Throwable thrown) {
        if (thrown instanceof RuntimeException unchanged) {
            return unchanged;
        }
        if (thrown instanceof SQLException failed) {
            return Objects.requireNonNullElseGet(
                    translator.translate(TASK, null, failed), () -> new UncategorizedSQLException(TASK, null, failed));
        }
        // Convert an Error, too, because neither a sweep nor a step expects one from a revert or a release.
        return new IllegalStateException(
                "A FlipListener threw %s, so the flip was rolled back. Correct the listener."
                        .formatted(thrown.getClass().getSimpleName()),
                thrown);
    }

    /**
     * Exempts the exception of a listener from the rules for lost replies, which are for the library's own statements.
     */
    private static final class Threw extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Throwable thrown;

        Threw(Throwable thrown) {
            super("A FlipListener threw an exception.", null, false, false);
            this.thrown = thrown;
        }
    }
}
