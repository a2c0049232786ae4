package io.sagaspring.dashboard;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/** Translates exceptions to problems. No problem contains a stack trace or the message of a foreign exception. */
final class Failures {

    private static final String CANCELED = "57014";

    private Failures() {}

    static ProblemException.Problem problemOf(RuntimeException failed) {
        if (hasState(failed, CANCELED)) {
            return new ProblemException.Problem(
                    503,
                    "Service Unavailable",
                    "The database did not answer within saga.dashboard.statement-timeout. Narrow the filter, or try again later.",
                    "timed-out");
        }
        if (failed instanceof CannotGetJdbcConnectionException
                || failed instanceof DataAccessResourceFailureException) {
            return new ProblemException.Problem(
                    503,
                    "Service Unavailable",
                    "The database cannot be reached. Try again later. The log has the details.",
                    "unavailable");
        }
        return new ProblemException.Problem(
                500, "Internal Server Error", "The request failed. The log has the details.", "unavailable");
    }

    private static boolean hasState(@Nullable Throwable failed, String state) {
        for (Throwable each = failed; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql && state.equals(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }
}
