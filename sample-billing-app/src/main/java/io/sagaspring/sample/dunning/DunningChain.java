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
 * Processes one <em>loop</em>, an ordered list of dunning letters. In the code, a letter is a <em>story</em>. The chain
 * works under the lease on its loop. It takes the first letter that is not marked as passed, works on it, marks it as
 * passed, mails it, and takes the next. To take or to mark a letter, the chain changes the letter's row. Each such
 * change is committed in one transaction with the lease's guard, the check that this node still holds the lease:
 * <ul>
 * <li>On PostgreSQL the guard locks the lease's row until the commit, so that no other node can take over in between.
 * <li>If the lease is in Redis or in memory, the guard can only confirm that the lease was held at the moment of the
 * check. In that case the fence, which is the condition of each update in {@link DunningLoops}, protects the letter.
 * The fence refuses a write with a token less than the letter's token, and every write after the letter has passed.
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

    /** Adds letters to the loop. Returns true if the loop has a letter that has not passed. */
    boolean isLeftAfterAdding(Lease lease, String loop, List<String> stories, Duration step) {
        return guarded(lease, () -> {
            loops.add(loop, stories, step);
            return loops.next(loop).isPresent();
        });
    }

    /** Processes all letters of the loop. The work is interrupted when the lease is lost. */
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
     * Marks a letter as passed, mails it, and commits. If the fence refuses the write, no mail is sent. The mail is
     * sent again, with the same key, only if this process dies before the commit or the commit fails. Sending must take
     * less time than the lease time minus two heartbeat intervals (10 s by default), because the lease is not renewed
     * while a transaction guards it.
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
