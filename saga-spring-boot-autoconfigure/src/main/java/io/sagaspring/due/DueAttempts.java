package io.sagaspring.due;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.tenant.Tenants;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes one attempt of a picked-up piece of work, and records its end, guarded by the token of the attempt. */
final class DueAttempts {

    private static final Logger logger = LoggerFactory.getLogger(DueWork.class);

    private final DueTable table;
    private final OwnTransactions own;
    private final Tenants tenants;
    private final Map<String, DueHandler> handlers;
    private final Retries retries;

    DueAttempts(
            DueTable table, OwnTransactions own, Tenants tenants, Map<String, DueHandler> handlers, Retries retries) {
        this.table = table;
        this.own = own;
        this.tenants = tenants;
        this.handlers = handlers;
        this.retries = retries;
    }

    void work(DueTable.Picked picked, Hold hold) {
        DueItem item = picked.item();
        DueHandler handler = handlers.get(item.queue());
        try {
            try {
                hold.during(() -> {
                    if (handler != null) {
                        handle(handler, item);
                    }
                    return true;
                });
            } catch (Throwable failed) {
                if (hold.stop() == Hold.Stop.CLOSING) {
                    release(picked, Duration.ZERO);
                } else {
                    failed(picked, failed);
                }
                return;
            }
            if (!own.single(connection -> table.done(connection, picked))) {
                logger.warn("{} was done, but another node has taken it over and will do it again", item);
            }
        } catch (RuntimeException failed) {
            logger.warn("Could not record the outcome of {}. The work is done again when its lease ends", item, failed);
        }
    }

    private void handle(DueHandler handler, DueItem item) throws Exception {
        boolean unused = tenants.call(item.tenant(), () -> {
            handler.handle(item);
            return true;
        });
    }

    private void failed(DueTable.Picked picked, Throwable failure) {
        DueItem item = picked.item();
        boolean park = item.attempt() >= retries.attempts();
        Duration pause = retries.pauseAfter(item.attempt());
        boolean recorded = own.single(connection -> table.failed(connection, picked, pause, park, stackTrace(failure)));
        if (!recorded) {
            logger.warn("{} failed, and another node has taken it over", item, failure);
        } else if (park) {
            logger.error(
                    "Parked {}: no attempt is left. It waits until a person retries it or gives it up", item, failure);
        } else {
            logger.warn("{} failed; will try again in {}", item, DurationText.of(pause), failure);
        }
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text));
        } catch (RuntimeException unprintable) {
            text.append(failure.getClass().getName()).append(", which has no readable message");
        }
        return text.toString();
    }

    /** Releases the row without counting the attempt, because the work did not cause its end. */
    void release(DueTable.Picked picked, Duration pause) {
        boolean unused = own.single(connection -> table.release(connection, picked, pause));
    }
}
