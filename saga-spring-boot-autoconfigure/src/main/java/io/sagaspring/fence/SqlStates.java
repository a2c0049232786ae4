package io.sagaspring.fence;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Classifies failed statements by their SQLState. The message text cannot be used, because it depends on the server's
 * language.
 */
final class SqlStates {

    private static final Set<String> RETRYABLE = Set.of("40001", "40P01");

    /**
     * The states with which the server ends a session or refuses a connection. The cause is an administrator, the crash
     * of another backend, or a server that is starting or shutting down.
     */
    private static final Set<String> SESSION_ENDED = Set.of("57P01", "57P02", "57P03");

    private SqlStates() {}

    /** Returns true after a deadlock or a serialization failure, because a second attempt may then succeed. */
    static boolean isRetryable(Throwable failure) {
        String state = of(failure);
        return state != null && RETRYABLE.contains(state);
    }

    /** Returns true if the statement may have taken effect in spite of the failure. */
    static boolean leavesOutcomeOpen(Throwable failure) {
        String state = of(failure);
        return state != null && (state.startsWith("08") || SESSION_ENDED.contains(state));
    }

    private static @Nullable String of(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 50; depth++, cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return null;
    }
}
