package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that only heartbeats use. The connection is opened for the first heartbeat that needs it, and reopened
 * after it has broken.
 */
final class HeartbeatConnection implements RenewableLeases.Connecting {

    private static final Logger logger = LoggerFactory.getLogger(Keeper.class);

    private final DataSource own;
    private final Duration interval;
    private @Nullable Connection connection;
    private int timeoutBefore;

    /**
     * Creates a connection that is not opened yet.
     *
     * @param own the data source that opens the connection
     * @param interval the time between two heartbeats
     */
    HeartbeatConnection(DataSource own, Duration interval) {
        this.own = own;
        this.interval = interval;
    }

    @Override
    public Connection connection() throws SQLException {
        Connection open = connection;
        if (open == null || open.isClosed()) {
            open = own.getConnection();
            connection = open;
            open.setAutoCommit(true);
            open.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            timeoutBefore = open.getNetworkTimeout();
            // Limit the wait for the server. Without the limit, a heartbeat could hang on a dead connection until the
            // leases expire. With the limit, the heartbeat fails and is repeated on a new connection.
            open.setNetworkTimeout(Runnable::run, (int)
                    Math.min(Integer.MAX_VALUE, Math.max(1, interval.toMillis() / 2)));
        }
        return open;
    }

    /** Closes the connection after a statement on it has thrown an exception. */
    void closeAfter(Throwable thrown) {
        Connection open = connection;
        if (open != null && OutOfStep.mayFollow(thrown)) {
            OutOfStep.abort(open);
        }
        close();
    }

    /** Returns a working connection to its pool, with the network time-out that the connection had before. */
    void release() {
        Connection open = connection;
        if (open != null) {
            try {
                open.setNetworkTimeout(Runnable::run, timeoutBefore);
            } catch (SQLException broken) {
                logger.debug("The heartbeat connection broke after its last use", broken);
            }
            close();
        }
    }

    void close() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException alreadyGone) {
                logger.debug("Closing a broken connection failed", alreadyGone);
            }
        }
    }
}
