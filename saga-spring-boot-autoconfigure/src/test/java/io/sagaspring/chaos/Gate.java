package io.sagaspring.chaos;

import io.sagaspring.shop.Interference.Around;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Stops the searches of a node's janitor and background work while the gate is shut, so that a test knows which node
 * finds the work of a node that has stopped. Threads wait at a point where they hold no lock.
 */
final class Gate implements Around {

    private final Around inside;
    private boolean open;

    Gate(Around inside) {
        this.inside = inside;
    }

    synchronized void open() {
        open = true;
        notifyAll();
    }

    synchronized void shut() {
        open = false;
    }

    @Override
    public void before(String sql, Connection connection) throws SQLException {
        if (EngineStatement.SEARCH_FOR_STUCK.is(sql) || EngineStatement.DUE_PICK_UP.is(sql)) {
            awaitOpen();
        }
        inside.before(sql, connection);
    }

    @Override
    public void after(String sql, Connection connection) throws SQLException {
        inside.after(sql, connection);
    }

    private synchronized void awaitOpen() throws SQLException {
        try {
            while (!open) {
                wait();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new SQLException("This node is shutting down.", interrupted);
        }
    }
}
