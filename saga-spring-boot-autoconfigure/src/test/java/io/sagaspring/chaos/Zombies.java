package io.sagaspring.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Freezes processes, and lets each of them continue when its leases have ended. */
final class Zombies {

    /** Longer than the leases of the tests' nodes, and than the interval at which other nodes search for work. */
    private static final Duration FROZEN = Office.LEASE.multipliedBy(2);

    private static final int MOST = 1;

    private final Deque<Zombie> frozen = new ArrayDeque<>();
    private int count;

    private record Zombie(ForkedProcess process, long since) {}

    /** Freezes the process, unless it is frozen or enough other processes are. */
    void freeze(ForkedProcess process) throws IOException, InterruptedException {
        if (frozen.size() < MOST && frozen.stream().noneMatch(each -> each.process() == process)) {
            process.freeze();
            frozen.add(new Zombie(process, System.nanoTime()));
            count++;
        }
    }

    /** Lets the processes continue whose leases have ended. Processes that were killed meanwhile are forgotten. */
    void thawOverdue() throws IOException, InterruptedException {
        while (!frozen.isEmpty() && System.nanoTime() - frozen.getFirst().since() > FROZEN.toNanos()) {
            thaw(frozen.removeFirst());
        }
    }

    void thawAll() throws IOException, InterruptedException {
        while (!frozen.isEmpty()) {
            thaw(frozen.removeFirst());
        }
    }

    private static void thaw(Zombie zombie) throws IOException, InterruptedException {
        if (zombie.process().isAlive()) {
            zombie.process().thaw();
        }
    }

    int count() {
        return count;
    }
}
