package io.sagaspring.saga;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.ResultNotStoredException;
import io.sagaspring.run.StepFailedException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a step, in the text form that the journal stores. The text also says whether the failure is retried,
 * because a replay no longer has the exception itself.
 */
final class StepFailure extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Report report;
    private final transient Json json;

    /**
     * The journaled form of a failure.
     *
     * @param error the error
     * @param retried true if the retry policy covers the failure
     * @param maybe true if the step may nevertheless have taken effect
     * @param trace the application's frames, and the causes with their frames
     */
    record Report(
            StepError error,
            boolean retried,
            boolean maybe,
            @Nullable List<String> trace) {

        Report(StepError error, boolean retried, boolean maybe) {
            this(error, retried, maybe, null);
        }

        List<String> lines() {
            return trace == null ? List.of() : trace;
        }

        @Nullable
        JournaledCause cause() {
            return JournaledCause.of(error, lines());
        }

        /**
         * Creates a report for a failure outside a step's code, for example in the commit of its transaction. Only the
         * class name and the message of the exception are known.
         */
        private static Report of(String text) {
            int end = text.indexOf(':');
            String type = end < 0 ? text : text.substring(0, end);
            String message = end < 0 ? null : text.substring(end + 1).trim();
            if (type.equals(ResultNotStoredException.class.getName())) {
                return new Report(new StepError(StepError.CONTEXT, message), false, true);
            }
            // A value that cannot be stored would also fail the next attempt. The step was rolled back, or never
            // started.
            boolean isPayload = type.equals(PayloadException.class.getName());
            return new Report(new StepError(type, message), !isPayload, !isPayload);
        }
    }

    StepFailure(Report report, Json json, @Nullable Throwable cause) {
        super(report.error().toString(), cause);
        this.report = report;
        this.json = json;
    }

    /** Returns the journaled form. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // The journal stores an exception's text.
    public String toString() {
        return json.text(report);
    }

    static Report reportOf(StepFailedException failed, Json json) {
        return reportOf(failed.why(), json);
    }

    static Report reportOf(String journaled, Json json) {
        return Optional.of(journaled)
                .filter(why -> why.startsWith("{"))
                .flatMap(why -> json.find(why, Report.class))
                .orElseGet(() -> Report.of(journaled));
    }
}
