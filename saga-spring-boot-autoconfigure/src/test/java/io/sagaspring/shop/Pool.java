package io.sagaspring.shop;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.test.database.TestDatabase;

/** Creates pools for nodes that poll frequently, because a new connection costs more than most statements. */
public final class Pool {

    /** More connections than any test holds at the same time. */
    private static final int ENOUGH = 32;

    private Pool() {}

    public static HikariDataSource of(TestDatabase database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(database.dataSource());
        pool.setMaximumPoolSize(ENOUGH);
        pool.setMinimumIdle(0);
        return pool;
    }
}
