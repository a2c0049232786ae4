package io.sagaspring.due;

import io.sagaspring.database.Database;
import io.sagaspring.database.Databases;
import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.Hold;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes one attempt of a picked-up piece of work, and records its end, guarded by the token of the attempt. */
final class DueAttempts {

    private static final Logger logger = LoggerFactory.getLogger(DueWork.class);

    private final DueTable table;
    private final Databases databases;
    private final Map<String, DueHandler> handlers;
    private final Retries retries;

    DueAttempts(DueTable table, Databases databases, Map<String, DueHandler> handlers, Retries retries) {
        this.table = table;
        this.databases = databases;
        this.handlers = handlers;
        this.retries = retries;
    }

    /** Returns the kinds of work that have a handler. */
    Set<String> kinds() {
        return handlers.keySet();
    }

    /** Returns the number of attempts after which failed work is parked. */
    int most() {
        return retries.attempts();
    }

    void work(Database database, DueTable.Picked picked, Hold hold) {
        DueItem item = picked.item();
        DueHandler handler = handlers.get(item.kind());
        try {
            try {
                hold.during(() -> {
                    if (handler != null) {
                        handle(database, handler, item);
                    }
                    return true;
                });
            } catch (Throwable failed) {
                if (hold.stop() == Hold.Stop.CLOSING) {
                    release(database, picked, Duration.ZERO);
                } else {
                    failed(database, picked, failed);
                }
                return;
            }
            if (!database.own().single(connection -> table.done(connection, picked))) {
                logger.warn(
                        "The background work {} was done, but another node has taken it over and will do it again",
                        item);
            }
        } catch (RuntimeException failed) {
            logger.warn(
                    "Could not record the outcome of the background work {}. The work will be done again when its lease ends, unless the outcome was recorded nevertheless",
                    item,
                    failed);
        }
    }

    private void handle(Database database, DueHandler handler, DueItem item) throws Exception {
        boolean unused = databases.tenants().call(item.tenant(), () -> {
            requireTenantOf(database, item);
            handler.handle(item);
            return true;
        });
    }

    /**
     * Requires that the work's tenant uses this database. Without this check, work in a copy of a database would be
     * done for the tenant of the original.
     */
    private void requireTenantOf(Database database, DueItem item) {
        String tenant = item.tenant();
        if (!database.isHome() && !databases.isIn(database, tenant)) {
            throw new IllegalStateException(
                    "The background work %s belongs to tenant '%s', but was found in %s. Give up the work if the data was copied, or let the tenant use this database again."
                            .formatted(item, tenant, database));
        }
    }

    private void failed(Database database, DueTable.Picked picked, Throwable failure) {
        DueItem item = picked.item();
        boolean park = item.attempt() >= retries.attempts();
        Duration pause = retries.pauseAfter(item.attempt());
        boolean recorded =
                database.own().single(connection -> table.failed(connection, picked, pause, park, stackTrace(failure)));
        if (!recorded) {
            logger.warn("The background work {} failed, and another node has taken it over", item, failure);
        } else if (park) {
            logger.error(
                    "Parked the background work {}: no attempt is left. It waits until a person retries it or gives it up",
                    item,
                    failure);
        } else {
            logger.warn("The background work {} failed; will try again in {}", item, DurationText.of(pause), failure);
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

    /** Releases the row without counting the attempt, because the node closes or could not start the work. */
    void release(Database database, DueTable.Picked picked, Duration pause) {
        boolean unused = database.own().single(connection -> table.release(connection, picked, pause));
    }
}
