package io.sagaspring.test.run;

import io.sagaspring.fence.HeldLease;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.Lanes;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunExecutions;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StorageLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Picks up runs in memory, and stores the writes of the node that executes them. */
final class MemoryExecutions implements RunExecutions {

    private final MemoryRuns runs;
    private final String node;
    private final Duration lease;
    private final Lanes lanes = new Lanes();

    MemoryExecutions(MemoryRuns runs, String node, Duration lease) {
        this.runs = runs;
        this.node = node;
        this.lease = lease;
    }

    @Override
    public Started start(NewRun run) {
        Instant now = runs.now();
        Optional<MemoryRun> before = runs.find(run.id()).or(() -> runs.withKeyOf(run));
        if (before.isPresent()) {
            MemoryRun there = before.get();
            if (run.key() != null && run.key().isReplaceable() && there.hasItsKey()) {
                runs.replace(there, run, now);
                return new Started(there.started.id(), null, now);
            }
            boolean isOwn = there.started.id().equals(run.id())
                    && there.tokenOfStart != null
                    && there.isExecutedBy(there.tokenOfStart);
            return new Started(there.started.id(), isOwn ? there.token : null, now);
        }
        MemoryRun added = new MemoryRun(run, now);
        runs.add(added);
        if (run.here()) {
            execute(added, now, 1);
            added.tokenOfStart = added.token;
        }
        return new Started(run.id(), added.token, now);
    }

    private void execute(MemoryRun run, Instant now, int attempt) {
        run.state = RunState.RUNNING;
        run.token = runs.nextToken();
        run.node = node;
        run.dueAt = now.plus(lease);
        run.attempts = attempt;
        run.pickedUpAt = now;
        run.journaled = run.journal.size();
    }

    @Override
    public Optional<Duration> untilDue(Set<String> names, Duration within) {
        return runs.all()
                .filter(each -> names.contains(each.lane().run()))
                .flatMap(each -> Stream.ofNullable(each.dueAt))
                .map(due -> Duration.between(runs.now(), due))
                .filter(each -> each.compareTo(within) <= 0)
                .min(Comparator.naturalOrder());
    }

    @Override
    public List<PickedUpRun> take(Set<String> names, int slots, int attempts) {
        Instant now = runs.now();
        List<MemoryRun> due = runs.all()
                .filter(each -> each.isDue(now))
                .sorted(Comparator.comparing(each -> Objects.requireNonNull(each.dueAt)))
                .toList();
        List<MemoryRun> chosen = lanes.dividing(
                slots,
                names,
                lane -> due.stream().filter(each -> each.lane().equals(lane)).toList());
        lanes.served(chosen.stream().map(MemoryRun::lane).toList());
        return due.stream()
                .filter(chosen::contains)
                .map(each -> pickUp(each, now, attempts))
                .toList();
    }

    @Override
    public Optional<PickedUpRun> take(RunId id, Set<String> names, int attempts) {
        Instant now = runs.now();
        return runs.find(id)
                .filter(each -> names.contains(each.started.run()) && !each.needsPermit && each.dueAt != null)
                .filter(each -> each.node == null || each.isDue(now))
                .map(each -> pickUp(each, now, attempts));
    }

    PickedUpRun pickUp(MemoryRun run, Instant now, int attempts) {
        int attempt = run.journal.size() > run.journaled ? 1 : run.attempts + 1;
        run.interrupted |= run.state == RunState.RUNNING;
        boolean parked = attempt > attempts;
        execute(run, now, parked ? run.attempts : attempt);
        if (parked) {
            run.rest(RunState.PARKED, null, now);
            if (run.permit != null) {
                run.freePermit();
            }
        }
        return new PickedUpRun(
                new RunLease(run.started.id(), Objects.requireNonNull(run.token), run.permit),
                run.started.run(),
                run.started.tenant(),
                run.started.input(),
                run.started.carried(),
                List.copyOf(run.journal),
                run.controlState(now),
                now,
                run.attempts,
                run.retries,
                run.interrupted,
                parked);
    }

    @Override
    public ControlState checkpoint(RunLease runLease, List<JournalEntry> entries) {
        MemoryRun run = owned(runLease, entries);
        run.add(entries, runs.now());
        return run.controlState(runs.now());
    }

    @Override
    public ControlState compensate(RunLease runLease, List<JournalEntry> entries) {
        MemoryRun run = owned(runLease, entries);
        run.compensating = true;
        run.add(entries, runs.now());
        return run.controlState(runs.now());
    }

    private MemoryRun owned(RunLease runLease, List<JournalEntry> entries) {
        return runs.find(runLease.id())
                .filter(each -> each.isExecutedBy(runLease.token()))
                .filter(each -> runLease.positionBefore(entries) < each.journal.size())
                .orElseThrow(() -> new FencedException(runLease));
    }

    /**
     * Returns true if the owner with this token has already brought the run into the state, so that this call is a
     * repetition.
     */
    private boolean hasReached(RunLease runLease, RunState state) {
        return runs.find(runLease.id())
                .filter(each -> each.node == null && runLease.token().equals(each.token) && each.state == state)
                .isPresent();
    }

    @Override
    public boolean conclude(RunLease runLease, List<JournalEntry> entries, ControlState known) {
        MemoryRun run = owned(runLease, entries);
        boolean wasAdded = run.journal.size() > entries.get(entries.size() - 1).position();
        if (!wasAdded && run.signalCount != known.signals()) {
            return false;
        }
        run.add(entries, runs.now());
        return true;
    }

    @Override
    public boolean suspend(
            RunLease runLease, List<JournalEntry> entries, @Nullable Duration pause, ControlState known) {
        if (hasReached(runLease, RunState.WAITING)) {
            return true;
        }
        MemoryRun run = owned(runLease, entries);
        if (run.signalCount != known.signals()) {
            return false;
        }
        Instant now = runs.now();
        run.add(entries, now);
        Instant deadline = known.late() ? null : run.deadline();
        run.rest(
                RunState.WAITING,
                earlier(pause == null ? null : now.plus(StorageLimits.pause(pause)), deadline),
                entries.isEmpty() ? run.since : now);
        run.attempts = 0;
        run.interrupted = false;
        if (runLease.freesPermitWhileWaiting()) {
            run.freePermit();
        }
        return true;
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return Stream.of(Optional.ofNullable(one), Optional.ofNullable(other))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    @Override
    public void end(RunLease runLease, List<JournalEntry> entries, Ending ending) {
        boolean unused = ended(runLease, entries, ending, null);
    }

    @Override
    public boolean endUnlessChanged(RunLease runLease, List<JournalEntry> entries, Ending ending, ControlState known) {
        return ended(runLease, entries, ending, known);
    }

    private boolean ended(RunLease runLease, List<JournalEntry> entries, Ending ending, @Nullable ControlState known) {
        if (hasReached(runLease, ending.state())) {
            return true;
        }
        MemoryRun run = owned(runLease, entries);
        Instant now = runs.now();
        if (known != null && !run.controlState(now).equals(known)) {
            return false;
        }
        run.add(entries, now);
        String error = StorageLimits.text(ending.error());
        run.rest(
                ending.state(),
                ending.again() == null ? null : now.plus(ending.again()),
                error != null && error.equals(run.error) ? run.since : now);
        run.result = ending.result();
        run.error = error;
        run.endedAt = ending.state().isEnd() ? now : null;
        run.attempts = ending.resetsAttempts() ? 0 : run.attempts;
        run.interrupted = Objects.requireNonNullElse(ending.leavesMidStep(), run.interrupted);
        if (runLease.freesPermitIn(ending.state())) {
            run.freePermit();
        }
        return true;
    }

    @Override
    public boolean release(RunLease runLease, Duration pause) {
        Optional<MemoryRun> owned = runs.find(runLease.id()).filter(each -> each.isExecutedBy(runLease.token()));
        owned.ifPresent(run -> {
            run.rest(RunState.PENDING, runs.now().plus(pause), runs.now());
            run.interrupted = true;
            run.attempts = Math.max(0, run.attempts - 1);
        });
        return owned.isPresent();
    }

    @Override
    public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) {
        Set<HeldLease> owned = stillHeld(keeper, held);
        Instant until = runs.now().plus(lease);
        owned.forEach(each -> runs.find(RunId.of(each.id())).orElseThrow().dueAt = until);
        return owned;
    }

    @Override
    public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
        Set<HeldLease> owned = new HashSet<>();
        for (HeldLease each : held) {
            if (runs.find(RunId.of(each.id()))
                    .filter(run -> run.isExecutedBy(each.token()))
                    .isPresent()) {
                owned.add(each);
            }
        }
        return owned;
    }
}
