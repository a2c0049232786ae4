package io.sagaspring.sample.dunning;

import io.sagaspring.lease.Lease;
import io.sagaspring.sample.Node;
import io.sagaspring.sample.dunning.DunningLoops.Task;
import io.sagaspring.sample.effects.Mailer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What a chain does under the lease on its loop: it takes the first story that has not passed, works on it, mails and
 * passes it, and takes the next. At each of these boundaries guard and write are one transaction:
 *
 * <ul>
 *   <li>On PostgreSQL the guard keeps the lease's row until the commit, so that nobody takes over in between.
 *   <li>On Redis, or in memory, the guard is advice: it is true when it is given. There it is the fence that protects, for a
 *       story is written only by a token that is not less than the one it bears, and not after its pass.
 * </ul>
 */
@Component
class DunningChain {

    private final DunningLoops loops;
    private final Mailer mailer;
    private final TransactionTemplate transaction;
    private final String node;

    DunningChain(DunningLoops loops, Mailer mailer, TransactionTemplate transaction, Node node) {
        this.loops = loops;
        this.mailer = mailer;
        this.transaction = transaction;
        this.node = node.name();
    }

    /** Adds stories to the loop, and tells whether any is left to do. */
    boolean isLeftAfterAdding(Lease lease, String loop, List<String> stories, Duration step) {
        return guarded(lease, () -> {
            loops.add(loop, stories, step);
            return loops.next(loop).isPresent();
        });
    }

    /** Goes through the loop, in one piece of work that is interrupted when the lease is lost. */
    void goThrough(Lease lease, String loop) throws Exception {
        lease.during(() -> {
            Optional<Task> task = take(lease, loop);
            while (task.isPresent()) {
                Thread.sleep(task.get().step().toMillis());
                pass(lease, loop, task.get().story());
                task = take(lease, loop);
            }
            return task;
        });
    }

    Optional<Task> take(Lease lease, String loop) {
        return guarded(lease, () -> {
            Optional<Task> task = loops.next(loop);
            task.map(Task::story)
                    .ifPresent(story -> requireWritten(lease, story, loops.take(loop, story, lease.token(), node)));
            return task;
        });
    }

    /**
     * The mail goes out behind the write that would have refused it, and before the commit: it is repeated, with the same
     * key, only if this process dies in between, or the commit fails. It must not take as long as the lease lasts, which is
     * not renewed while a transaction guards it.
     */
    void pass(Lease lease, String loop, String story) {
        guarded(lease, () -> {
            requireWritten(lease, story, loops.pass(loop, story, lease.token(), node));
            String about = loop + "/" + story;
            mailer.send("debtor@example.org", about, "dunning:" + about);
            return story;
        });
    }

    private <T> T guarded(Lease lease, Supplier<T> writes) {
        return transaction.execute(status -> {
            lease.requireHeld();
            return writes.get();
        });
    }

    private static void requireWritten(Lease lease, String story, boolean written) {
        if (!written) {
            throw new StoryRefusedException(lease, story);
        }
    }
}
