package io.sagaspring.operations;

import io.sagaspring.operations.Audit.Request;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.tenant.Tenants;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operations on all runs that a query selects. First {@linkplain #preview look} at the number of runs, then
 * {@linkplain #perform confirm} this number. Runs that are started after the preview are never included. Each run is
 * changed in a transaction of its own, and is audited.
 *
 * @since 0.1.0
 */
public final class BulkOperations {

    /** The largest number of runs in one call. */
    public static final int MOST = 1_000;

    static final int SLICE = 100;

    private static final Logger logger = LoggerFactory.getLogger(BulkOperations.class);
    private static final int EXAMPLES = 5;

    private final Runs runs;
    private final RunOperations operations;
    private final Tenants tenants;
    private final Audit audit;

    /**
     * Creates the operations.
     *
     * @param runs the API that finds the runs
     * @param operations the operations on single runs
     * @param tenants the tenants of the application
     * @param audit the audit of the operations
     */
    public BulkOperations(Runs runs, RunOperations operations, Tenants tenants, Audit audit) {
        this.runs = runs;
        this.operations = operations;
        this.tenants = tenants;
        this.audit = audit;
    }

    /**
     * What a query selects now.
     *
     * @param count the number of runs, up to {@value RunCount#MOST}
     * @param latest the id of the run that was started last, or null if there is none
     * @param examples some of the runs, latest first
     */
    public record Preview(RunCount count, @Nullable RunId latest, List<RunView> examples) {}

    /**
     * A person's confirmation of a preview.
     *
     * @param query the query of the preview; its limit and its {@code before} have no effect
     * @param latest the latest run of the preview; later runs are left out
     * @param count the number of runs that the person has confirmed; no more runs are changed
     * @param next the value of {@link BulkResult#next} if an earlier call has changed some of the runs, otherwise null
     * @param reason the reason, or null if there is none
     */
    public record Confirmed(
            RunQuery query,
            RunId latest,
            int count,
            @Nullable RunId next,
            @Nullable String reason) {}

    /**
     * Counts the runs that a query selects, and shows some of them.
     *
     * @param action the operation
     * @param query the query, with exactly one state; its limit and its {@code before} have no effect
     * @return the preview
     * @throws InvalidOperationException if the query does not have exactly one state that the operation accepts
     */
    public Preview preview(BulkAction action, RunQuery query) {
        requireFitting(action, query);
        return ofAllTenants(() -> {
            List<RunView> examples = runs.list(from(query, null).latest(EXAMPLES));
            return new Preview(
                    runs.count(from(query, null)),
                    examples.isEmpty() ? null : examples.get(0).id(),
                    examples);
        });
    }

    /**
     * Performs an operation on the runs of a preview, at most on {@value #MOST}. To continue, call this method again
     * with {@link BulkResult#next} and the remaining count. A run whose state has changed since the preview is left out
     * or refused. If the change of a run throws an exception, the operation stops behind this run, and
     * {@link BulkResult#failed} counts it.
     *
     * @param action the operation
     * @param confirmed the person's confirmation of the preview
     * @param operator the person
     * @return the result
     * @throws InvalidOperationException if the query does not have exactly one state that the operation accepts, or the
     *     count is not positive
     */
    public BulkResult perform(BulkAction action, Confirmed confirmed, Operator operator) {
        AtomicReference<BulkResult> result = new AtomicReference<>();
        Request request = new Request(
                action.text(), OperationTarget.of("bulk", described(confirmed.query())), operator, confirmed.reason());
        OperationResult unused = audit.perform(request, () -> {
            requireFitting(action, confirmed.query());
            if (confirmed.count() < 1) {
                throw new InvalidOperationException(
                        "The number of runs is %s. Repeat the number that the preview has shown."
                                .formatted(confirmed.count()));
            }
            BulkResult done = performed(action, confirmed, operator);
            result.set(done);
            return done.operation();
        });
        return result.get();
    }

    /** Returns what was done before a failure, so that the person can continue behind it. */
    private BulkResult performed(BulkAction action, Confirmed confirmed, Operator operator) {
        BulkPass pass = new BulkPass(
                Math.min(MOST, confirmed.count()),
                confirmed.next() == null ? after(confirmed.latest()) : confirmed.next(),
                (before, most) -> ofAllTenants(
                        () -> runs.list(from(confirmed.query(), before).latest(most))),
                run -> one(action, run, confirmed.reason(), operator).result());
        try {
            pass.changeAll();
        } catch (RuntimeException | Error failed) {
            if (pass.isUntouched()) {
                throw failed;
            }
            logger.warn(
                    "The operation '{}' has stopped before its end, and can be continued behind run {}",
                    action.text(),
                    pass.next(),
                    failed);
        }
        return pass.result();
    }

    private OperationResult one(BulkAction action, RunId run, @Nullable String reason, Operator operator) {
        return switch (action) {
            case RETRY -> operations.retry(run, operator);
            case CANCEL -> operations.cancel(run, reason, operator);
            case GIVE_UP -> operations.giveUp(run, operator);
        };
    }

    private <T> T ofAllTenants(Supplier<T> call) {
        return tenants.in(null, call);
    }

    private static void requireFitting(BulkAction action, RunQuery query) {
        if (query.states().size() != 1 || !action.states().containsAll(query.states())) {
            throw new InvalidOperationException("The operation %s needs a query with exactly one state out of %s."
                    .formatted(
                            action.text(),
                            action.states().stream()
                                    .map(each -> each.text())
                                    .sorted()
                                    .collect(Collectors.joining(", "))));
        }
    }

    /** Returns the query without the page that it asked for: a page must never limit what a person confirms. */
    private static RunQuery from(RunQuery query, @Nullable RunId before) {
        return new RunQuery(
                query.run(),
                query.key(),
                query.tenant(),
                query.states(),
                query.olderThan(),
                before,
                SLICE,
                query.labels(),
                query.node(),
                query.startedFrom(),
                query.startedBefore());
    }

    /** Returns the id directly after another. The database orders ids as numbers without a sign. */
    private static RunId after(RunId id) {
        UUID value = id.value();
        long low = value.getLeastSignificantBits() + 1;
        return new RunId(new UUID(value.getMostSignificantBits() + (low == 0 ? 1 : 0), low));
    }

    /** Describes a query for the audit. Parts that select nothing are left out. */
    private static String described(RunQuery query) {
        StringBuilder text = new StringBuilder();
        add(
                text,
                "state",
                query.states().isEmpty()
                        ? null
                        : query.states().stream()
                                .map(each -> each.text())
                                .sorted()
                                .collect(Collectors.joining(",")));
        add(text, "run", query.run());
        add(text, "key", query.key());
        add(text, "tenant", query.tenant());
        query.labels().forEach((name, value) -> add(text, "label", name + ":" + value));
        add(text, "node", query.node());
        add(text, "olderThan", query.olderThan());
        add(text, "startedFrom", query.startedFrom());
        add(text, "startedBefore", query.startedBefore());
        return text.isEmpty() ? "all runs" : text.toString();
    }

    private static void add(StringBuilder text, String name, @Nullable Object value) {
        if (value != null) {
            text.append(text.isEmpty() ? "" : " ").append(name).append('=').append(value);
        }
    }
}
