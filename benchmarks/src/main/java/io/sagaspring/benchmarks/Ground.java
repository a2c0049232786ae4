package io.sagaspring.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The resources of a contender: connections, threads, and a schema that has no tables at first. All contenders have
 * equally many connections and threads.
 *
 * @param database the database
 * @param schema the name of the schema
 * @param driverSetting the driver setting of each connection
 * @param callers the number of concurrent flows, which is also the number of the contender's threads
 * @param connections the number of connections for these flows
 */
record Ground(DurableDatabase database, String schema, String driverSetting, int callers, int connections) {

    /** The maximum time to wait for any result. This time is long, so that a busy machine does not cause a failure. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    String url() {
        return database.urlWith("currentSchema=%s&%s".formatted(schema, driverSetting));
    }

    /** Creates a pool and opens all its connections. The caller must close the pool. */
    HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url());
        pool.setMaximumPoolSize(connections);
        pool.setConnectionTimeout(PATIENCE.toMillis());
        fill(pool, connections);
        return pool;
    }

    /** Opens all connections, so that the cost of connecting is not measured as a contender's work. */
    static void fill(DataSource pool, int size) {
        List<Connection> filled = new ArrayList<>();
        try {
            try {
                for (int number = 0; number < size; number++) {
                    filled.add(pool.getConnection());
                }
            } finally {
                for (Connection connection : filled) {
                    connection.close();
                }
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Empties the schema, which may contain the tables of an earlier contender. */
    Ground emptied() {
        run("DROP SCHEMA IF EXISTS %1$s CASCADE; CREATE SCHEMA %1$s".formatted(schema));
        return this;
    }

    void run(String sql) {
        beside().sql(sql).update();
    }

    long count(String rows) {
        return beside().sql("SELECT count(*) FROM " + rows).query(Long.class).single();
    }

    private JdbcClient beside() {
        return JdbcClient.create(new DriverManagerDataSource(database.urlWith("currentSchema=" + schema)));
    }
}
