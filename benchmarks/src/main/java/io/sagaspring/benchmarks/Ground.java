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
 * What a contender is given, each the same: a schema of its own, in it no table, connections and threads.
 *
 * @param database where it is
 * @param schema its name
 * @param driverSetting what each of its connections is opened with
 * @param callers how many flows are under way at once, and so the threads that it is to have
 * @param connections how many connections it has for them
 */
record Ground(DurableDatabase database, String schema, String driverSetting, int callers, int connections) {

    /** How long anything is waited for, so that a busy machine is slow and not an error. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    String url() {
        return database.urlWith("currentSchema=%s&%s".formatted(schema, driverSetting));
    }

    /** Its connections, to be closed by who asks for them. */
    HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url());
        pool.setMaximumPoolSize(connections);
        pool.setConnectionTimeout(PATIENCE.toMillis());
        fill(pool, connections);
        return pool;
    }

    /** What it takes to connect would be counted as somebody's work. */
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

    /** Whatever an earlier one has left there is gone. */
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
