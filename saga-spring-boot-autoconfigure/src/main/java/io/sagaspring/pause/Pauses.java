package io.sagaspring.pause;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.pause.Pause.Kind;
import io.sagaspring.schema.SagaSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the pauses in {@code saga_pause}. The table has a row only for what is paused now.
 *
 * @since 0.1.0
 */
public final class Pauses {

    private static final Logger logger = LoggerFactory.getLogger(Pauses.class);

    private static final int LONGEST = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final OwnTransactions own;
    private final ElapsedClock ticks;
    private final Sql insert;
    private final Sql delete;
    private final Sql list;
    private final ReentrantLock reading = new ReentrantLock();
    private volatile @Nullable Snapshot latest;

    /**
     * The pauses as they were read last.
     *
     * @param at a time before they were read; after a failed reading, the time at which it had failed
     * @param changed true if this node has changed a pause since then, so that they must be read again
     */
    private record Snapshot(Set<Name> names, Duration at, boolean changed) {

        boolean isFrom(Duration oldest) {
            return !changed && at.compareTo(oldest) > 0;
        }
    }

    private record Name(Kind kind, String name) {}

    /**
     * Creates the store of the pauses.
     *
     * @param schema the schema of the table
     * @param own the executor of transactions on the schema's data source
     * @param ticks the clock that measures elapsed time on this node
     */
    public Pauses(SagaSchema schema, OwnTransactions own, ElapsedClock ticks) {
        this.own = own;
        this.ticks = ticks;
        String table = schema.table("saga_pause");
        this.insert = Sql.named("pause.insert", """
                INSERT INTO %s (kind, name, paused_at, paused_by, paused_why)
                VALUES (:kind, :name, clock_timestamp(), :by, :why) ON CONFLICT DO NOTHING""".formatted(table));
        this.delete = Sql.named("pause.delete", "DELETE FROM %s WHERE kind = :kind AND name = :name".formatted(table));
        this.list = Sql.named("pause.list", """
                SELECT kind, name, paused_at, paused_by, paused_why,
                    extract(epoch FROM clock_timestamp() - paused_at) * 1000 AS age
                FROM %s ORDER BY kind, name""".formatted(table));
    }

    /**
     * Pauses a kind of runs or a janitor on all nodes.
     *
     * @param kind the kind of what is paused
     * @param name its name
     * @param by the person
     * @param why the reason
     * @return false if it was already paused; then nothing changes
     */
    public boolean pause(Kind kind, String name, String by, String why) {
        boolean paused = own.single(connection -> insert.on(connection)
                .with("kind", kind.text())
                .with("name", name)
                .with("by", stored(by))
                .with("why", stored(why))
                .changesOne());
        changed(names -> names.add(new Name(kind, name)));
        return paused;
    }

    private static String stored(String text) {
        int end = Math.min(text.length(), LONGEST);
        if (end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end).replace('\0', ' ');
    }

    /**
     * Resumes a kind of runs or a janitor on all nodes.
     *
     * @param kind the kind of what is paused
     * @param name its name
     * @return false if it was not paused
     */
    public boolean resume(Kind kind, String name) {
        boolean resumed = own.single(connection -> delete.on(connection)
                .with("kind", kind.text())
                .with("name", name)
                .changesOne());
        changed(names -> names.remove(new Name(kind, name)));
        return resumed;
    }

    /** Waits for a reading that began before the change, because it would hide the change. */
    private void changed(Consumer<Set<Name>> change) {
        reading.lock();
        try {
            Snapshot known = latest;
            if (known != null) {
                Set<Name> names = new HashSet<>(known.names());
                change.accept(names);
                latest = new Snapshot(Set.copyOf(names), known.at(), true);
            }
        } finally {
            reading.unlock();
        }
    }

    /**
     * Reads the pauses from the database.
     *
     * @return the pauses, ordered by kind and name
     */
    public List<Pause> all() {
        return own.single(connection -> list.on(connection).list(Pauses::pause));
    }

    private static Pause pause(Row row) throws SQLException {
        return new Pause(
                Kind.of(row.text("kind")),
                row.text("name"),
                row.instant("paused_at"),
                row.millis("age"),
                row.text("paused_by"),
                row.text("paused_why"));
    }

    /**
     * Returns the names of what is paused. If the database cannot be read, or another thread has been reading it for a
     * second, returns the names that were read last.
     *
     * @param kind the kind of what is paused
     * @param maxAge the longest time since the pauses were read; the method reads them again if more time has passed
     * @return the names
     */
    public Set<String> names(Kind kind, Duration maxAge) {
        return atMostThisOld(maxAge).stream()
                .filter(each -> each.kind() == kind)
                .map(Name::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    private Set<Name> atMostThisOld(Duration maxAge) {
        Duration oldest = ticks.now().minus(maxAge);
        Snapshot known = latest;
        if (known != null && known.isFrom(oldest)) {
            return known.names();
        }
        if (known == null) {
            reading.lock();
        } else if (!isMyTurn()) {
            return known.names();
        }
        try {
            Snapshot meanwhile = latest;
            return meanwhile != null && meanwhile.isFrom(oldest) ? meanwhile.names() : readAgain(meanwhile);
        } finally {
            reading.unlock();
        }
    }

    /** Waits for another thread that is reading, but not long: a hanging database must not stop all callers. */
    private boolean isMyTurn() {
        try {
            return reading.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Set<Name> readAgain(@Nullable Snapshot known) {
        Duration before = ticks.now();
        try {
            Set<Name> read = all().stream()
                    .map(each -> new Name(each.kind(), each.name()))
                    .collect(Collectors.toUnmodifiableSet());
            latest = new Snapshot(read, before, false);
            return read;
        } catch (RuntimeException failed) {
            if (known == null) {
                throw failed;
            }
            logger.warn("Could not read what is paused. The pauses that were read last still apply", failed);
            // Those who have waited for this reading must not repeat it one after the other.
            latest = new Snapshot(known.names(), ticks.now(), false);
            return known.names();
        }
    }
}
