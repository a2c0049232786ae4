package io.sagaspring.run;

import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.run.RunInbox.Answer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.IllegalTransactionStateException;

/** Sends signals, replies and cancellations to runs that the caller may see. */
final class RunMessages {

    private final VisibleRuns visible;
    private final Payloads payloads;

    /** Makes this node look for due runs. */
    private final Runnable wake;

    RunMessages(VisibleRuns visible, Payloads payloads, Runnable wake) {
        this.visible = visible;
        this.payloads = payloads;
        this.wake = wake;
    }

    SignalResult signal(RunId id, String signal, String key, @Nullable Object value) {
        SignalKeys.check(key);
        SignalKeys.checkName(signal);
        requireNoTransaction("Signalling a run");
        return sent(id, visible.signal(id, signal, key, payloads.writeGiven(value)));
    }

    SignalResult reply(RunId id, RunReply reply) {
        SignalKeys.check(reply.key());
        SignalKeys.checkName(reply.signal());
        payloads.requireReadableGiven(reply.value());
        requireNoTransaction("Replying to a run");
        return sent(id, visible.reply(id, reply));
    }

    SignalResult cancel(RunId id, String reason) {
        Objects.requireNonNull(
                reason, "The reason for a cancellation must not be null. Pass a reason that a person understands.");
        requireNoTransaction("Cancelling a run");
        return sent(id, visible.cancel(id, Objects.requireNonNull(StorageLimits.text(reason))));
    }

    private SignalResult sent(RunId id, Answer answer) {
        wake.run();
        return SignalResult.of(answer).orElseThrow(() -> new NoSuchRunException(id));
    }

    /**
     * Throws an exception if the caller is in a transaction, because the operation would not be part of that
     * transaction.
     */
    static void requireNoTransaction(String operation) {
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "%s inside a transaction is not allowed: the change would be committed on its own, even if the transaction is rolled back. Call this method before or after the transaction."
                            .formatted(operation));
        }
    }
}
