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

/** Picks up runs in memory, and writes what the node writes that executes them. */
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
        Optional<MemoryRun> before = runs.find(run.id()).or(() -> withKeyOf(run));
        if (before.isPresent()) {
            MemoryRun there = before.get();
            boolean isMine = there.started.id().equals(run.id())
                    && there.tokenOfStart != null
                    && there.isDrivenBy(there.tokenOfStart);
            return new Started(there.started.id(), isMine ? there.token : null, now);
        }
        MemoryRun added = new MemoryRun(run, now);
        runs.add(added);
        if (run.here()) {
            drive(added, now, 1);
            added.tokenOfStart = added.token;
        }
        return new Started(run.id(), added.token, now);
    }

    private Optional<MemoryRun> withKeyOf(NewRun run) {
        return runs.all()
                .filter(each -> each.started.run().equals(run.run())
                        && run.key() != null
                        && run.key().equals(each.started.key()))
                .findFirst();
    }

    private void drive(MemoryRun run, Instant now, int attempt) {
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
                .filter(each -> names.contains(each.started.run()))
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
                .map(each -> taken(each, now, attempts))
                .toList();
    }

    @Override
    public Optional<PickedUpRun> take(RunId id, Set<String> names, int attempts) {
        Instant now = runs.now();
        return runs.find(id)
                .filter(each -> names.contains(each.started.run()) && each.dueAt != null)
                .filter(each -> each.node == null || each.isDue(now))
                .map(each -> taken(each, now, attempts));
    }

    private PickedUpRun taken(MemoryRun run, Instant now, int attempts) {
        int attempt = run.journal.size() > run.journaled ? 1 : run.attempts + 1;
        boolean interrupted = run.callInterruptibly || run.state == RunState.RUNNING;
        run.callInterruptibly = interrupted;
        boolean parked = attempt > attempts;
        drive(run, now, parked ? run.attempts : attempt);
        if (parked) {
            run.leave(RunState.PARKED, null, now);
        }
        return new PickedUpRun(
                new RunLease(run.started.id(), Objects.requireNonNull(run.token)),
                run.started.run(),
                run.started.input(),
                run.started.carried(),
                List.copyOf(run.journal),
                run.standing(now),
                now,
                run.attempts,
                run.retries,
                interrupted,
                parked);
    }

    @Override
    public ControlState checkpoint(RunLease runLease, List<JournalEntry> entries) {
        MemoryRun run = mine(runLease, entries);
        run.add(entries, runs.now());
        return run.standing(runs.now());
    }

    @Override
    public ControlState compensate(RunLease runLease, List<JournalEntry> entries) {
        MemoryRun run = mine(runLease, entries);
        run.compensating = true;
        run.add(entries, runs.now());
        return run.standing(runs.now());
    }

    private MemoryRun mine(RunLease runLease, List<JournalEntry> entries) {
        return runs.find(runLease.id())
                .filter(each -> each.isDrivenBy(runLease.token()))
                .filter(each -> runLease.positionBefore(entries) < each.journal.size())
                .orElseThrow(() -> new FencedException(runLease));
    }

    /** Tells whether a change was made by this token although its answer was lost. */
    private boolean wasLeftIn(RunLease runLease, RunState state) {
        return runs.find(runLease.id())
                .filter(each -> each.node == null && runLease.token().equals(each.token) && each.state == state)
                .isPresent();
    }

    @Override
    public boolean conclude(RunLease runLease, List<JournalEntry> entries, ControlState known) {
        MemoryRun run = mine(runLease, entries);
        boolean wasAdded = run.journal.size() > entries.get(entries.size() - 1).position();
        if (!wasAdded && run.told != known.signals()) {
            return false;
        }
        run.add(entries, runs.now());
        return true;
    }

    @Override
    public boolean suspend(
            RunLease runLease, List<JournalEntry> entries, @Nullable Duration pause, ControlState known) {
        if (wasLeftIn(runLease, RunState.WAITING)) {
            return true;
        }
        MemoryRun run = mine(runLease, entries);
        if (run.told != known.signals()) {
            return false;
        }
        Instant now = runs.now();
        run.add(entries, now);
        Instant deadline = known.late() ? null : run.deadline();
        run.leave(
                RunState.WAITING,
                earlier(pause == null ? null : now.plus(StorageLimits.pause(pause)), deadline),
                entries.isEmpty() ? run.since : now);
        run.attempts = 0;
        run.callInterruptibly = false;
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
    public boolean endUnlessTold(RunLease runLease, List<JournalEntry> entries, Ending ending, ControlState known) {
        return ended(runLease, entries, ending, known);
    }

    private boolean ended(RunLease runLease, List<JournalEntry> entries, Ending ending, @Nullable ControlState known) {
        if (wasLeftIn(runLease, ending.state())) {
            return true;
        }
        MemoryRun run = mine(runLease, entries);
        Instant now = runs.now();
        if (known != null && !run.standing(now).equals(known)) {
            return false;
        }
        run.add(entries, now);
        String error = StorageLimits.text(ending.error());
        run.leave(
                ending.state(),
                ending.again() == null ? null : now.plus(ending.again()),
                error != null && error.equals(run.error) ? run.since : now);
        run.result = ending.result();
        run.error = error;
        run.endedAt = ending.state().isEnd() ? now : null;
        run.attempts = ending.isWaitingForAPerson() ? 0 : run.attempts;
        run.callInterruptibly = Objects.requireNonNullElse(ending.leavesMidStep(), run.callInterruptibly);
        return true;
    }

    @Override
    public boolean release(RunLease runLease, Duration pause) {
        Optional<MemoryRun> mine = runs.find(runLease.id()).filter(each -> each.isDrivenBy(runLease.token()));
        mine.ifPresent(run -> {
            run.leave(RunState.PENDING, runs.now().plus(pause), runs.now());
            run.callInterruptibly = true;
            run.attempts = Math.max(0, run.attempts - 1);
        });
        return mine.isPresent();
    }

    @Override
    public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) {
        Set<HeldLease> mine = stillHeld(keeper, held);
        Instant until = runs.now().plus(lease);
        mine.forEach(each -> runs.find(RunId.of(each.id())).orElseThrow().dueAt = until);
        return mine;
    }

    @Override
    public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
        Set<HeldLease> mine = new HashSet<>();
        for (HeldLease each : held) {
            if (runs.find(RunId.of(each.id()))
                    .filter(run -> run.isDrivenBy(each.token()))
                    .isPresent()) {
                mine.add(each);
            }
        }
        return mine;
    }
}
