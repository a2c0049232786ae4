package io.sagaspring.operations;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.LogText;
import io.sagaspring.operations.OperationPerformed.Outcome;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Performs operations and records each of them: in the log, in the table of the audit, and as an application event. A
 * record that cannot be written does not change the result of its operation.
 *
 * @since 0.1.0
 */
public final class Audit {

    private static final Logger audit = LoggerFactory.getLogger("io.sagaspring.audit");
    private static final Logger logger = LoggerFactory.getLogger(Audit.class);

    private final @Nullable AuditTable table;
    private final ApplicationEventPublisher events;
    private final DenialLimit denials;

    /**
     * Creates an audit.
     *
     * @param table the table of the audit, or null if the application has no tables of the library
     * @param events the publisher of the events
     */
    public Audit(@Nullable AuditTable table, ApplicationEventPublisher events) {
        this(table, events, new DenialLimit(ElapsedClock.OF_THIS_MACHINE));
    }

    Audit(@Nullable AuditTable table, ApplicationEventPublisher events, DenialLimit denials) {
        this.table = table;
        this.events = events;
        this.denials = denials;
    }

    /** A request for an operation. */
    record Request(
            String operation,
            OperationTarget target,
            Operator operator,
            @Nullable String reason) {

        OperationPerformed ended(Outcome outcome, String message) {
            return new OperationPerformed(operation, target, operator, reason, outcome, message);
        }
    }

    /** Performs an operation whose result has the usual form. */
    OperationResult perform(Request request, Supplier<OperationResult> operation) {
        OperationResult result = guarded(request, operation);
        record(request.ended(outcome(result), result.message()));
        return result;
    }

    /** Performs an operation that has more kinds of results. */
    ClaimRelease release(Request request, Supplier<ClaimRelease> operation) {
        ClaimRelease release = guarded(request, operation);
        record(request.ended(release.outcome(), release.message()));
        return release;
    }

    private <T> T guarded(Request request, Supplier<T> operation) {
        try {
            return operation.get();
        } catch (InvalidOperationException invalid) {
            record(request.ended(Outcome.INVALID, String.valueOf(invalid.getMessage())));
            throw invalid;
        } catch (Throwable failed) {
            record(request.ended(Outcome.FAILED, failed.toString()));
            throw failed;
        }
    }

    private static Outcome outcome(OperationResult result) {
        return switch (result.result()) {
            case ACCEPTED -> Outcome.ACCEPTED;
            case REFUSED -> Outcome.REFUSED;
            case UNKNOWN -> Outcome.UNKNOWN;
        };
    }

    /**
     * Records a request that was denied before the object was looked at. The request is always logged. It is stored and
     * published only if the person is known, and at most {@value DenialLimit#MOST} times a minute, so that no one can
     * fill the table.
     *
     * @param operation the operation
     * @param target the object, as far as the request names it
     * @param operator the person, whose name is null if no one has signed in
     * @param why the reason of the denial, for people
     */
    public void deny(String operation, OperationTarget target, Operator operator, String why) {
        OperationPerformed denied = new OperationPerformed(operation, target, operator, null, Outcome.DENIED, why);
        if (operator.name() != null && denials.allows()) {
            record(denied);
        } else {
            String unused = log(denied);
        }
    }

    private void record(OperationPerformed performed) {
        String line = log(performed);
        guard("could not be written to the table of the audit", line, () -> {
            if (table != null) {
                table.add(performed);
            }
        });
        guard("made a listener of the event throw an exception", line, () -> events.publishEvent(performed));
    }

    private static String log(OperationPerformed performed) {
        String line = line(performed);
        audit.atInfo()
                .addKeyValue("operation", performed.operation())
                .addKeyValue("outcome", performed.outcome().text())
                .log(line);
        return line;
    }

    /** Describes an operation on one line. A name or a reason must not forge another line. */
    private static String line(OperationPerformed performed) {
        return "%s on %s by %s through %s was %s: %s%s"
                .formatted(
                        LogText.of(performed.operation()),
                        LogText.of(performed.target()),
                        LogText.of(performed.operator()),
                        performed.operator().access().text(),
                        performed.outcome().text(),
                        LogText.of(performed.message()),
                        performed.reason() == null ? "" : " Reason: " + LogText.of(performed.reason()));
    }

    private static void guard(String what, String line, Runnable part) {
        try {
            part.run();
        } catch (Throwable failed) {
            logger.warn("An operation {}. Its result does not change. The operation: {}", what, line, failed);
        }
    }
}
