package io.sagaspring.fence;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

/**
 * The rows of a table in a database other than the keeper's. They are renewed on a thread and a connection of their
 * own, so that a database that is down does not delay the renewals in other databases. The connection is opened when
 * there is something to renew, and returned to its pool when there has been nothing to renew for some time.
 *
 * @since 0.1.0
 */
public final class SeparateRows implements RenewableLeases {

    private static final int UNUSED_HEARTBEATS = 3;

    private final RenewableRows rows;
    private final HeartbeatConnection connection;
    private final Duration unused;
    private final ElapsedClock ticks;
    private final String description;
    private final ReentrantLock lock = new ReentrantLock();
    private Duration used;

    /**
     * Creates the object that renews the rows of a table. Does not open a connection yet.
     *
     * @param rows the table with its statements
     * @param connections the data source of the other database
     * @param interval the time between two heartbeats
     * @param ticks the clock that measures elapsed time on this node
     * @param description a name for the rows, with which messages about them begin
     */
    public SeparateRows(
            RenewableRows rows, DataSource connections, Duration interval, ElapsedClock ticks, String description) {
        this.rows = rows;
        this.connection = new HeartbeatConnection(connections, interval);
        this.unused = interval.multipliedBy(UNUSED_HEARTBEATS);
        this.ticks = ticks;
        this.description = description;
        this.used = ticks.now();
    }

    @Override
    public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws SQLException {
        return inTwoTries(() -> rows.renewals().renew(connection.connection(), held));
    }

    @Override
    public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) throws SQLException {
        return inTwoTries(() -> rows.renewals().stillHeld(connection.connection(), held));
    }

    @FunctionalInterface
    private interface Statement {
        Set<HeldLease> execute() throws SQLException;
    }

    /** Tries a second time if the statement fails, because the connection may have broken since the last heartbeat. */
    private Set<HeldLease> inTwoTries(Statement statement) throws SQLException {
        lock.lock();
        try {
            used = ticks.now();
            try {
                return statement.execute();
            } catch (SQLException broken) {
                connection.closeAfter(broken);
                try {
                    return statement.execute();
                } catch (SQLException failed) {
                    failed.addSuppressed(broken);
                    throw failed;
                }
            }
        } catch (Throwable failed) {
            connection.closeAfter(failed);
            throw failed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Releases the connection if nothing has been renewed for some heartbeats. Does nothing while a heartbeat uses the
     * connection.
     */
    public void releaseIfUnused() {
        if (lock.tryLock()) {
            try {
                if (ticks.now().minus(used).compareTo(unused) > 0) {
                    connection.release();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Returns true if these are the rows of the given table.
     *
     * @param table the table to compare with
     * @return true if these rows are in that table
     */
    public boolean areOf(RenewableRows table) {
        return rows == table;
    }

    @Override
    public String toString() {
        return description;
    }
}
