package io.sagaspring.saga;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The history of an execution and of its steps, read from the journal. This class must understand the entries that
 * {@link Execution} writes.
 */
final class ExecutionHistory {

    private final SagaPlan<?> plan;
    private final RunRow row;
    private final List<RunInbox.Note> notes;
    private final Payloads payloads;
    private final Json json;

    /** The runs of the fire-and-forget steps, by id, as far as they are still stored. */
    private final Map<RunId, ExecutionHistory> fireAndForget;

    /** The journal entries by name, each list in the order of the journal. */
    private final Map<String, List<JournalEntry>> entries = new LinkedHashMap<>();

    ExecutionHistory(
            SagaPlan<?> plan,
            RunRow row,
            List<RunInbox.Note> notes,
            Payloads payloads,
            Json json,
            Map<RunId, ExecutionHistory> fireAndForget) {
        this.plan = plan;
        this.row = row;
        this.notes = notes;
        this.payloads = payloads;
        this.json = json;
        this.fireAndForget = fireAndForget;
        // Leave out the entries of labels, because their names may look like those of a step 'label'.
        row.journal().stream()
                .filter(each -> each.call() != Call.LABEL)
                .forEach(each -> entries.computeIfAbsent(each.step(), id -> new ArrayList<>())
                        .add(each));
    }

    RunRow row() {
        return row;
    }

    RunId id() {
        return row.id();
    }

    SagaPlan<?> plan() {
        return plan;
    }

    RunState state() {
        return row.state();
    }

    /**
     * Returns the history of a step as if all earlier steps had completed. A callback or a signal may arrive before
     * they have.
     */
    StepHistory of(PlannedStep<?> step) {
        return new StepHistory(this, step, true);
    }

    ExecutionView view() {
        List<StepView> steps = new ArrayList<>();
        boolean isBefore = true;
        for (PlannedStep<?> step : plan.steps()) {
            if (isSkipped(step)) {
                continue;
            }
            StepHistory stepHistory = new StepHistory(this, step, isBefore);
            steps.add(fired(step).map(run -> viewOfFireAndForget(step, run)).orElseGet(stepHistory::view));
            isBefore &= stepHistory.isBehind();
        }
        return new ExecutionView(
                row.id(),
                row.run(),
                row.key(),
                row.tenant(),
                row.labels(),
                row.state(),
                error(),
                cause(),
                row.cancelReason(),
                row.startedAt(),
                cancelledAt(),
                row.dueAt(),
                row.endedAt(),
                openCompensations(),
                List.copyOf(steps),
                context());
    }

    private StepView viewOfFireAndForget(PlannedStep<?> step, RunId run) {
        ExecutionHistory history = fireAndForget.get(run);
        return history == null
                ? StepView.purged(step.name(), run)
                : history.of(step).view().with(run);
    }

    /** Returns the run of a fire-and-forget step, if the run was started. */
    Optional<RunId> fired(PlannedStep<?> step) {
        return firedIn(row, step);
    }

    static Optional<RunId> firedIn(RunRow row, PlannedStep<?> step) {
        if (!step.fireAndForget()) {
            return Optional.empty();
        }
        String fired = JournalNames.fired(step.name());
        return row.journal().stream()
                .filter(each -> each.step().equals(fired) && !isStop(each) && each.mark() == Mark.DONE)
                .findFirst()
                .flatMap(each -> RunId.find(String.valueOf(each.detail())));
    }

    /**
     * Returns a run of a fire-and-forget step that is being executed or is about to be, if there is one. A run that
     * waits for its next attempt does not count.
     */
    Optional<RunId> firing() {
        return fireAndForget.values().stream()
                .filter(each -> each.state() == RunState.RUNNING || each.state() == RunState.PENDING)
                .map(ExecutionHistory::id)
                .findFirst();
    }

    boolean isSkipped(PlannedStep<?> step) {
        return last(JournalNames.condition(step.name()))
                .filter(each -> !isStop(each))
                .flatMap(each -> read(each, Boolean.class))
                .filter(isRun -> !isRun)
                .isPresent();
    }

    /** Returns true if the execution has not ended and is not being compensated. */
    boolean goesForward() {
        return switch (row.state()) {
            case PENDING, RUNNING, WAITING, BLOCKED, PARKED, IN_DOUBT -> true;
            default -> false;
        };
    }

    /**
     * Returns true if the execution has noticed a cancellation. An execution that had already failed before the
     * cancellation counts as failed.
     */
    boolean isCancelled() {
        return stops().anyMatch(each -> each.mark() == Mark.DONE);
    }

    private Stream<JournalEntry> stops() {
        return row.journal().stream().filter(ExecutionHistory::isStop);
    }

    boolean isExecuting() {
        return row.state() == RunState.RUNNING;
    }

    boolean isCompensating() {
        return row.state() == RunState.COMPENSATING || row.state() == RunState.COMPENSATION_FAILED;
    }

    private @Nullable StepError error() {
        return switch (row.state()) {
            case FAILED, COMPENSATING -> isCancelled() ? null : failure();
            case COMPENSATION_FAILED -> decided(true).orElseGet(this::errorOfTheRun);
            default -> null;
        };
    }

    private StepError failure() {
        FailureCause cause = cause();
        return cause == null ? errorOfTheRun() : cause.error();
    }

    /**
     * Returns the cause of a failure, even if a compensation failed afterwards. If the failure occurred outside the
     * steps, only the run's error is known.
     */
    private @Nullable FailureCause cause() {
        if (row.state() == RunState.COMPLETED || isCancelled() || goesForward()) {
            return null;
        }
        Optional<JournalEntry> stop = stops().findFirst();
        if (stop.isPresent()) {
            return new FailureCause(
                    null, StepError.late(), List.of(), stop.get().at());
        }
        return givenUp(false)
                .map(this::causeOf)
                .orElseGet(() -> new FailureCause(null, errorOfTheRun(), traceOfTheRun(), row.endedAt()));
    }

    private FailureCause causeOf(JournalEntry decided) {
        String attempt = JournalNames.decided(decided.step());
        List<String> trace = last(attempt)
                .filter(each -> each.mark() == Mark.FAILED && !isStop(each))
                .map(each -> report(each).lines())
                .orElse(List.of());
        StepError error = read(decided, Decision.class).orElseThrow().error();
        return new FailureCause(JournalNames.stepOf(attempt), error, trace, decided.at());
    }

    /** Returns the error of the latest decision to give up. */
    private Optional<StepError> decided(boolean ofCompensation) {
        return givenUp(ofCompensation)
                .flatMap(each -> read(each, Decision.class))
                .map(Decision::error);
    }

    private Optional<JournalEntry> givenUp(boolean ofCompensation) {
        return row.journal().stream()
                .filter(each -> JournalNames.isDecision(each.step())
                        && JournalNames.isCompensation(each.step()) == ofCompensation)
                .filter(each ->
                        read(each, Decision.class).filter(Decision::isGivenUp).isPresent())
                .reduce((earlier, later) -> later);
    }

    /** Returns the steps that are not yet compensated, in the order in which they will be compensated. */
    private List<String> openCompensations() {
        if (!isCompensating()) {
            return List.of();
        }
        List<String> open = new ArrayList<>();
        for (PlannedStep<?> step : plan.steps()) {
            StepHistory stepHistory = new StepHistory(this, step, false);
            if (stepHistory.hasToBeCompensated() && !stepHistory.isCompensated()) {
                open.add(0, step.name());
            }
        }
        return List.copyOf(open);
    }

    /** Returns the error of a run that failed outside its steps. */
    private StepError errorOfTheRun() {
        String error = Objects.requireNonNullElse(row.error(), "");
        return new StepError("error", error.lines().findFirst().orElse(null));
    }

    private List<String> traceOfTheRun() {
        return Objects.requireNonNullElse(row.error(), "")
                .lines()
                .skip(1)
                .map(line -> line.startsWith("\tat ") ? line.substring("\tat ".length()) : line)
                .toList();
    }

    private @Nullable Instant cancelledAt() {
        return stops().filter(each -> each.mark() == Mark.DONE)
                .findFirst()
                .map(JournalEntry::at)
                .orElse(null);
    }

    /** Returns what a caller learns that has waited for the end of the execution. */
    SagaResult result() {
        return SagaResult.of(view(), values(), json);
    }

    private StepValues values() {
        StepValues values = new StepValues();
        for (PlannedStep<?> step : plan.steps()) {
            new StepHistory(this, step, false).addTo(values);
        }
        return values;
    }

    private Map<String, Object> context() {
        Map<String, Object> context = new LinkedHashMap<>();
        values().all().forEach((key, tree) -> context.put(key, json.read(tree, Object.class)));
        return context;
    }

    static boolean isStop(JournalEntry entry) {
        return entry.call() == Call.STOP || entry.call() == Call.STOP_AMID;
    }

    List<JournalEntry> entries(String id) {
        return entries.getOrDefault(id, List.of());
    }

    Optional<JournalEntry> last(String id) {
        List<JournalEntry> found = entries(id);
        return found.isEmpty() ? Optional.empty() : Optional.of(found.get(found.size() - 1));
    }

    boolean isJournaled(String id) {
        return entries.containsKey(id);
    }

    /**
     * Returns the time of the journal entry before the first entry of a step, or of the last entry if the step has
     * none. If there is no such entry, returns the start of the execution.
     */
    Instant before(PlannedStep<?> step) {
        Instant before = row.startedAt();
        for (JournalEntry each : row.journal()) {
            if (each.call() != Call.LABEL && JournalNames.isAbout(each.step(), step.name())) {
                return before;
            }
            // The definition is written together with the next entry, so its time is not that of the beginning.
            if (!JournalNames.isDefinition(each.step())) {
                before = Objects.requireNonNull(each.at());
            }
        }
        return before;
    }

    Optional<Instant> heartbeatAt(PlannedStep<?> step, int attempt) {
        return notes.stream()
                .filter(each -> each.name().equals(JournalNames.heartbeat(step.name(), attempt)))
                .findFirst()
                .map(RunInbox.Note::at);
    }

    /**
     * Returns true if it is the turn of the step's compensation: the compensations of all later steps have completed or
     * are skipped.
     */
    boolean isCompensating(PlannedStep<?> step) {
        if (!isCompensating()) {
            return false;
        }
        return plan.steps().stream()
                .skip(plan.steps().indexOf(step) + 1L)
                .map(later -> new StepHistory(this, later, false))
                .allMatch(
                        later -> !later.hasToBeCompensated() || later.isCompensated() || later.isCompensationSkipped());
    }

    StepFailure.Report report(JournalEntry failed) {
        return StepFailure.reportOf(String.valueOf(failed.detail()), json);
    }

    Callback callback(JsonNode stored) {
        return Callback.read(stored, json);
    }

    Optional<Decision> decision(String id, int attempt) {
        return last(JournalNames.decision(id, attempt))
                .filter(each -> !isStop(each))
                .flatMap(each -> read(each, Decision.class));
    }

    /**
     * Returns the value of an entry, or empty if the entry has none or this node cannot read it. A view must not fail
     * because of an unreadable value.
     */
    <T> Optional<T> read(JournalEntry entry, Class<T> type) {
        return tree(entry).flatMap(tree -> json.find(tree, type));
    }

    Optional<JsonNode> tree(JournalEntry entry) {
        try {
            return Optional.ofNullable((JsonNode) payloads.read(entry.value(), JsonNode.class));
        } catch (PayloadException | ClassCastException unreadable) {
            return Optional.empty();
        }
    }
}
