package io.sagaspring.saga;

import io.sagaspring.run.Entry;
import io.sagaspring.run.Entry.Call;
import io.sagaspring.run.Entry.Mark;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What the journal of one execution says of its steps. It is read as {@link Execution} has written it. */
final class History {

    private final Plan<?> plan;
    private final RunStore.RunRow row;
    private final List<RunStore.Note> notes;
    private final Payloads payloads;
    private final Json json;

    /** Entries by what the journal calls them, the first of them first. */
    private final Map<String, List<Entry>> entries = new LinkedHashMap<>();

    History(Plan<?> plan, RunStore.RunRow row, List<RunStore.Note> notes, Payloads payloads, Json json) {
        this.plan = plan;
        this.row = row;
        this.notes = notes;
        this.payloads = payloads;
        this.json = json;
        row.journal()
                .forEach(each -> entries.computeIfAbsent(each.step(), id -> new ArrayList<>())
                        .add(each));
    }

    RunId id() {
        return row.id();
    }

    Plan<?> plan() {
        return plan;
    }

    RunState state() {
        return row.state();
    }

    /** A step, as if it were its turn: for that of which somebody says something. */
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
            StepHistory told = new StepHistory(this, step, isBefore);
            steps.add(told.view());
            isBefore &= told.isBehind();
        }
        return new ExecutionView(
                row.id(),
                row.run(),
                row.key(),
                row.state(),
                error(),
                row.cancelReason(),
                row.startedAt(),
                cancelledAt(),
                row.dueAt(),
                row.endedAt(),
                List.copyOf(steps),
                context());
    }

    /** What is known without the journal. */
    static ExecutionView withoutSteps(RunStore.RunRow row) {
        return new ExecutionView(
                row.id(),
                row.run(),
                row.key(),
                row.state(),
                null,
                row.cancelReason(),
                row.startedAt(),
                null,
                row.dueAt(),
                row.endedAt(),
                List.of(),
                Map.of());
    }

    boolean isSkipped(PlannedStep<?> step) {
        return last(Ids.condition(step.name()))
                .filter(each -> each.mark() == Mark.DONE && Boolean.FALSE.equals(read(each, Boolean.class)))
                .isPresent();
    }

    /** It neither is over nor undoes, nor waits for a person. */
    boolean goesForward() {
        return switch (row.state()) {
            case PENDING, RUNNING, WAITING, BLOCKED, PARKED, IN_DOUBT -> true;
            default -> false;
        };
    }

    boolean isCancelled() {
        return row.cancelReason() != null && row.state() != RunState.COMPLETED && row.state() != RunState.FAILED;
    }

    boolean isDriven() {
        return row.state() == RunState.RUNNING;
    }

    boolean isUndoing() {
        return row.state() == RunState.COMPENSATING || row.state() == RunState.COMPENSATION_FAILED;
    }

    private @Nullable StepError error() {
        return switch (row.state()) {
            case FAILED, COMPENSATING -> row.cancelReason() == null ? whyItFailed() : null;
            case COMPENSATION_FAILED -> givenUp(true).orElseGet(this::errorOfTheRun);
            default -> null;
        };
    }

    private StepError whyItFailed() {
        boolean isLate = row.journal().stream().anyMatch(each -> isStop(each) && each.mark() == Mark.TIMED_OUT);
        return isLate
                ? new StepError(StepError.TIMEOUT, "It was not over within %s.".formatted(plan.timeout()))
                : givenUp(false).orElseGet(this::errorOfTheRun);
    }

    private Optional<StepError> givenUp(boolean isUndo) {
        return row.journal().stream()
                .filter(each -> Ids.isGivenUp(each.step()) && Ids.isUndo(each.step()) == isUndo)
                .filter(each -> each.mark() == Mark.DONE)
                .reduce((earlier, later) -> later)
                .map(each -> read(each, StepError.class));
    }

    /** It failed outside its steps. */
    private StepError errorOfTheRun() {
        String error = Objects.requireNonNullElse(row.error(), "");
        return new StepError("error", error.lines().findFirst().orElse(null));
    }

    private @Nullable Instant cancelledAt() {
        return row.journal().stream()
                .filter(each -> isStop(each) && each.mark() == Mark.DONE)
                .findFirst()
                .map(Entry::at)
                .orElse(null);
    }

    private Map<String, Object> context() {
        Values values = new Values();
        for (PlannedStep<?> step : plan.steps()) {
            new StepHistory(this, step, false).addTo(values);
        }
        Map<String, Object> context = new LinkedHashMap<>();
        values.all().forEach((key, tree) -> context.put(key, json.read(tree, Object.class)));
        return context;
    }

    static boolean isStop(Entry entry) {
        return entry.call() == Call.STOP || entry.call() == Call.STOP_AMID;
    }

    List<Entry> entries(String id) {
        return entries.getOrDefault(id, List.of());
    }

    Optional<Entry> last(String id) {
        List<Entry> found = entries(id);
        return found.isEmpty() ? Optional.empty() : Optional.of(found.get(found.size() - 1));
    }

    boolean isTold(String id) {
        return entries.containsKey(id);
    }

    /** Whether anything is journaled of what is behind a step. */
    boolean isPassed(PlannedStep<?> step) {
        return plan.steps().stream()
                .skip(plan.steps().indexOf(step) + 1L)
                .anyMatch(later -> entries.keySet().stream().anyMatch(id -> Ids.isAbout(id, later.name())));
    }

    /** When what is before the first entry of a step was journaled; of a step that has none, the last. */
    Instant before(PlannedStep<?> step) {
        Instant before = row.startedAt();
        for (Entry each : row.journal()) {
            if (Ids.isAbout(each.step(), step.name())) {
                return before;
            }
            before = Objects.requireNonNull(each.at());
        }
        return before;
    }

    Optional<Instant> heardOf(PlannedStep<?> step, int attempt) {
        return notes.stream()
                .filter(each -> each.name().equals(Ids.heartbeat(step.name(), attempt)))
                .findFirst()
                .map(RunStore.Note::at);
    }

    /** What can be undone is, in reverse, until one cannot be. */
    boolean isBeingUndone(PlannedStep<?> step) {
        if (!isUndoing()) {
            return false;
        }
        return plan.steps().stream()
                .skip(plan.steps().indexOf(step) + 1L)
                .map(later -> new StepHistory(this, later, false))
                .allMatch(later -> !later.hasToBeUndone() || later.isUndone());
    }

    StepError error(Entry failed) {
        return StepFailure.wordsOf(String.valueOf(failed.detail()), json).error();
    }

    boolean isMaybe(Entry failed) {
        return StepFailure.wordsOf(String.valueOf(failed.detail()), json).maybe();
    }

    <T> T read(Entry entry, Class<T> type) {
        return type.cast(Objects.requireNonNull(payloads.read(entry.value(), type)));
    }

    @Nullable
    JsonNode tree(Entry entry) {
        return (JsonNode) payloads.read(entry.value(), JsonNode.class);
    }
}
