package io.sagaspring.fence;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a failed statement's SQLState says. The text of its message is for people, in their language. */
final class SqlStates {

    private static final Set<String> TRY_AGAIN = Set.of("40001", "40P01");

    /** The server ended the session: administrator, crash of a neighbour, or a shutdown. */
    private static final Set<String> SESSION_ENDED = Set.of("57P01", "57P02", "57P03");

    private SqlStates() {}

    /** The transaction was rolled back because of another one, and would succeed alone. */
    static boolean isWorthAnotherTry(Throwable failure) {
        String state = of(failure);
        return state != null && TRY_AGAIN.contains(state);
    }

    /** Whether the statement took place cannot be told from this. */
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
