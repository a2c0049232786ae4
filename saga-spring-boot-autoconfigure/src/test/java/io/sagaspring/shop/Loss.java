package io.sagaspring.shop;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Breaks the connection before a statement reaches the server, or before its reply arrives. */
public final class Loss implements Interference.Around {

    private final Predicate<String> statement;
    private final boolean executed;
    private final AtomicInteger remaining;
    private boolean behindTheFence = true;

    private Loss(Predicate<String> statement, boolean executed, int times) {
        this.statement = statement;
        this.executed = executed;
        this.remaining = new AtomicInteger(times);
    }

    public static Loss ofAnswer(Predicate<String> statement) {
        return new Loss(statement, true, 1);
    }

    public static Loss ofRequest(Predicate<String> statement) {
        return new Loss(statement, false, 1);
    }

    public static Loss ofEveryAnswer(Predicate<String> statement) {
        return new Loss(statement, true, Integer.MAX_VALUE);
    }

    /** Breaks no statement before the fence (see {@link #isFence}). */
    public Loss behindTheFence() {
        behindTheFence = false;
        return this;
    }

    /** Returns true if the statement removes a claim by its token. */
    public static boolean isFence(String sql) {
        return Statements.isNamed(sql, "claim.remove");
    }

    @Override
    public void before(String sql, Connection connection) throws SQLException {
        if (!executed) {
            breakAt(sql, connection);
        }
        behindTheFence |= isFence(sql);
    }

    @Override
    public void after(String sql, Connection connection) throws SQLException {
        if (executed) {
            breakAt(sql, connection);
        }
    }

    private void breakAt(String sql, Connection connection) throws SQLException {
        if (behindTheFence && statement.test(sql) && remaining.getAndDecrement() > 0) {
            connection.abort(Runnable::run);
            throw Interference.connectionLost();
        }
    }
}
