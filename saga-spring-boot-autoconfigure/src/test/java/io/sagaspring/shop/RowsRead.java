package io.sagaspring.shop;

import java.sql.Connection;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Counts the rows that a transaction has read from a table, by scans of the table and through its indexes. */
public final class RowsRead {

    private RowsRead() {}

    /** Returns the number of rows that the connection's current transaction has read from this table. */
    public static long of(Connection connection, String table) {
        return JdbcClient.create(new SingleConnectionDataSource(connection, true))
                .sql("""
                SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = :table""")
                .param("table", table)
                .query(Long.class)
                .single();
    }
}
