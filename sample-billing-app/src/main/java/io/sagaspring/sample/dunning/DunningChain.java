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
 * The work of a chain under the lease on its loop. The chain takes the first story that has not passed, works on it,
 * mails it, marks it as passed, and takes the next. At each of these boundaries, guard and write are one transaction:
 * <ul>
 * <li>On PostgreSQL the guard locks the lease's row until the commit, so that no other node can take over in between.
 * <li>On Redis, or in memory, the guard is only advice: it is true at the moment of the check. There the fence protects
 * the story. Only a token that is not less than the story's own can write the story, and none can after it has passed.
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

    /** Adds stories to the loop. Returns true if any story of the loop is not passed. */
    boolean isLeftAfterAdding(Lease lease, String loop, List<String> stories, Duration step) {
        return guarded(lease, () -> {
            loops.add(loop, stories, step);
            return loops.next(loop).isPresent();
        });
    }

    /** Works through the loop, in one piece of work that is interrupted when the lease is lost. */
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
     * Marks a story as passed, mails it, and commits. If the fence refuses the write, no mail is sent. The mail is
     * repeated, with the same key, only if this process dies in between or the commit fails. Sending must take less
     * time than the lease lasts: the lease is not renewed while a transaction guards it.
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
