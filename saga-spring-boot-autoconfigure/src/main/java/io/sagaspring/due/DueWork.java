package io.sagaspring.due;

import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.LogText;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.SagaSchema;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does due work, at least once:
 *
 * <ol>
 *   <li>{@link #schedule} writes a row in the caller's transaction: the work is due if and only if that commits.
 *   <li>{@link #wake}, or the next poll of any node, picks up as many rows as there are free slots, with a fresh token
 *       each, and counts the attempt.
 *   <li>The keeper renews the row while its work runs; if this node dies, the row is due again when its lease is over.
 *   <li>Done: the row is removed by its token. Failed: it is due again after a pause. Failed too often: it is parked.
 * </ol>
 *
 * @since 0.1.0
 */
public final class DueWork implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(DueWork.class);

    private final DueTable table;
    private final OwnTransactions own;
    private final Map<String, DueHandler> handlers = new HashMap<>();
    private final Retries retries;
    private final Rows rows = new Rows();
    private final Pickup<DueTable.Picked> pickup;

    /**
     * What may be set.
     *
     * @param concurrency how much is worked on at once
     * @param poll how often a node looks for work that others left
     * @param lease how long a row is kept after its node was last heard of
     * @param longest how long one attempt may last
     * @param grace how long a closing node lets its work go on before it interrupts it
     * @param retries when failed work is tried again
     */
    public record Settings(
            int concurrency, Duration poll, Duration lease, Duration longest, Duration grace, Retries retries) {}

    /**
     * Due work that is not yet begun.
     *
     * @param schema holds the table
     * @param node the name of this node, as it shows to people
     * @param own transactions over the schema's data source
     * @param keeper renews what is worked on
     * @param handlers do the work
     * @param executor runs them
     * @param settings what may be set
     */
    public DueWork(
            SagaSchema schema,
            String node,
            OwnTransactions own,
            Keeper keeper,
            List<? extends DueHandler> handlers,
            Executor executor,
            Settings settings) {
        this.table = new DueTable(schema, node, settings.lease());
        this.own = own;
        this.retries = settings.retries();
        handlers.forEach(handler -> handler.queues().forEach(queue -> this.handlers.put(queue, handler)));
        this.pickup = new Pickup<>(
                rows,
                keeper,
                table,
                executor,
                new Pickup.Settings(
                        "due",
                        settings.concurrency(),
                        settings.poll(),
                        settings.lease(),
                        settings.longest(),
                        settings.grace()));
    }

    /**
     * Makes work due, in the transaction of the given connection.
     *
     * @param connection in the transaction that decides it
     * @param queue what kind of work it is
     * @param key the same over all its deliveries, and of no other work
     * @param payload what it is about
     * @throws SQLException if the row cannot be written
     */
    public void schedule(Connection connection, String queue, String key, String payload) throws SQLException {
        table.insert(connection, queue, key, payload);
    }

    /** Has this node look for work now. To be called after the commit that made some due. */
    public void wake() {
        pickup.wake();
    }

    /** Begins to pick up work. */
    public void start() {
        if (!handlers.isEmpty()) {
            pickup.start();
        }
    }

    /** Picks up no more. What is worked on goes on. */
    public void stop() {
        pickup.stop();
    }

    /**
     * Picks up no more, lets what is worked on go on for a while, and interrupts it then. What is interrupted is given
     * back, so that another node does it at once.
     */
    @Override
    public void close() {
        pickup.close();
    }

    /**
     * Work that waits for a person.
     *
     * @param limit how many at most
     * @return longest parked first
     */
    public List<Parked> parked(int limit) {
        return own.single(connection -> table.parked(connection, limit));
    }

    /**
     * How much work waits for a person.
     *
     * @return the number of pieces
     */
    public int countParked() {
        return own.single(table::countParked);
    }

    /**
     * Lists work that is due and that this node cannot do, because it has no handler of its queue. Another node may have one.
     *
     * @param limit how many pieces at most
     * @return the work, longest due first
     */
    public List<Unhandled> unhandled(int limit) {
        Set<String> known = Set.copyOf(handlers.keySet());
        return own.single(connection -> table.unhandled(connection, known, limit));
    }

    /**
     * Makes parked work due again, with all its attempts.
     *
     * @param id the row
     * @return whether it was parked
     */
    public boolean retry(long id) {
        return retry(id, "a caller");
    }

    /**
     * Makes parked work due again, with all its attempts.
     *
     * @param id the row
     * @param by who has it retried, for the log
     * @return whether it was parked
     */
    public boolean retry(long id, String by) {
        boolean found = own.single(connection -> table.retry(connection, id));
        if (found) {
            logger.info("Parked work {} is due again: retried by {}", id, LogText.of(by));
        }
        wake();
        return found;
    }

    /**
     * Gives up work that is parked, or that is due and has no handler here: it is removed, and never done.
     *
     * @param id the row
     * @param by who gives it up, for the log
     * @return what was given up, or empty if there is no such work
     */
    public Optional<Parked> giveUp(long id, String by) {
        Set<String> known = Set.copyOf(handlers.keySet());
        Optional<Parked> removed = own.single(connection -> table.giveUp(connection, id, known));
        removed.ifPresent(work -> logger.warn(
                "Gave up work {} of queue '{}' with key '{}': it was {} after {} attempts and was removed by {}",
                work.id(),
                LogText.of(work.queue()),
                LogText.of(work.key()),
                known.contains(work.queue()) ? "parked" : "parked or had no handler",
                work.attempts(),
                LogText.of(by)));
        return removed;
    }

    /**
     * Counts the work that is due and that no node has picked up.
     *
     * @return the queues in which some is due, those whose handler this node lacks among them
     */
    public List<Backlog> backlog() {
        Set<String> known = Set.copyOf(handlers.keySet());
        return own.single(connection -> table.backlog(connection, known));
    }

    /**
     * Returns how many pieces of work this node could begin now.
     *
     * @return the free slots
     */
    public int freeSlots() {
        return pickup.freeSlots();
    }

    private final class Rows implements Pickup.Source<DueTable.Picked> {

        @Override
        public Optional<Duration> untilDue(Duration within) {
            Set<String> queues = Set.copyOf(handlers.keySet());
            return own.single(connection -> table.untilDue(connection, queues, within));
        }

        @Override
        public List<DueTable.Picked> take(int slots) {
            Set<String> queues = Set.copyOf(handlers.keySet());
            List<DueTable.Picked> picked =
                    own.single(connection -> table.pick(connection, queues, slots, retries.attempts()));
            picked.stream()
                    .filter(DueTable.Picked::parked)
                    .forEach(each -> logger.error(
                            "Parked {}: every attempt ended with its node. Find out why before it is retried",
                            each.item()));
            return picked.stream().filter(each -> !each.parked()).toList();
        }

        @Override
        public HeldLease held(DueTable.Picked picked) {
            return picked.held();
        }

        @Override
        public String describe(HeldLease held) {
            return "Work %s of queue '%s'".formatted(held.id(), held.name());
        }

        @Override
        public Runnable work(DueTable.Picked picked, Hold hold) {
            DueWork.this.work(picked, hold);
            return () -> {};
        }

        /** The attempt was not the work's fault, and does not count. */
        @Override
        public void release(DueTable.Picked picked, Duration pause) {
            boolean unused = own.single(connection -> table.release(connection, picked, pause));
        }
    }

    private void work(DueTable.Picked picked, Hold hold) {
        DueItem item = picked.item();
        DueHandler handler = handlers.get(item.queue());
        try {
            try {
                hold.during(() -> {
                    if (handler != null) {
                        handler.handle(item);
                    }
                    return true;
                });
            } catch (Throwable failed) {
                if (hold.stop() == Hold.Stop.CLOSING) {
                    rows.release(picked, Duration.ZERO);
                } else {
                    failed(picked, failed);
                }
                return;
            }
            if (!own.single(connection -> table.done(connection, picked))) {
                logger.warn("{} was done, but another node has taken it over: it will be done again", item);
            }
        } catch (RuntimeException failed) {
            logger.warn(
                    "Could not record what became of {}; it will be done again when its lease is over", item, failed);
        }
    }

    private void failed(DueTable.Picked picked, Throwable failure) {
        DueItem item = picked.item();
        boolean park = item.attempt() >= retries.attempts();
        Duration pause = retries.pauseAfter(item.attempt());
        boolean recorded = own.single(connection -> table.failed(connection, picked, pause, park, stackTrace(failure)));
        if (!recorded) {
            logger.warn("{} failed, and another node has taken it over", item, failure);
        } else if (park) {
            logger.error("Parked {}: no attempt is left. It waits until somebody retries it", item, failure);
        } else {
            logger.warn("{} failed; will try again in {}", item, pause, failure);
        }
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text));
        } catch (RuntimeException unprintable) {
            text.append(failure.getClass().getName()).append(", whose message cannot be read");
        }
        return text.toString();
    }

    /**
     * Work that failed so often that it waits for a person.
     *
     * @param id the row
     * @param queue what kind of work it is
     * @param key the same over all deliveries of this work
     * @param attempts how often it was tried
     * @param lastError why the last attempt failed
     * @param since when it was parked, or has been due if it was given up unparked, by the database's clock
     */
    public record Parked(long id, String queue, String key, int attempts, String lastError, Instant since) {}

    /**
     * Work that is due and that this node cannot do, because it has no handler of its queue.
     *
     * @param id the row
     * @param queue what kind of work it is
     * @param key the same over all deliveries of this work
     * @param attempts how often it was tried
     * @param dueSince since when it has been due, by the database's clock
     */
    public record Unhandled(long id, String queue, String key, int attempts, Instant dueSince) {}

    /**
     * When failed work is tried again: after pauses that double, each shortened by up to a half at random so that what failed
     * together does not come back together.
     *
     * @param attempts how often in all, before it is parked
     * @param first the first pause
     * @param longest the longest pause
     */
    public record Retries(int attempts, Duration first, Duration longest) {

        /**
         * Refuses what would never try, or try without a pause.
         *
         * @param attempts how often in all, before it is parked
         * @param first the first pause
         * @param longest the longest pause
         */
        public Retries {
            if (attempts < 1 || first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
                throw new IllegalArgumentException(
                        "At least one attempt, a first pause above zero and a longest pause not below it are needed: %d, %s, %s."
                                .formatted(attempts, first, longest));
            }
        }

        Duration pauseAfter(int attempt) {
            // Beyond 2^30 no longest pause is still longer.
            Duration doubled = first.multipliedBy(1L << Math.min(attempt - 1, 30));
            Duration full = doubled.compareTo(longest) < 0 ? doubled : longest;
            long half = full.toMillis() / 2;
            return Duration.ofMillis(half + ThreadLocalRandom.current().nextLong(half + 1));
        }
    }
}
