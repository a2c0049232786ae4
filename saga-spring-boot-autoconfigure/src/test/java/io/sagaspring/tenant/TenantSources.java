package io.sagaspring.tenant;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.shop.Interference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The databases of the tenants. The properties {@code test.databases.<tenant>} name them, and a test can add others
 * while the application runs.
 */
public final class TenantSources implements AutoCloseable {

    /** The setting with which each database has a pool. Without a pool, a lost server is noticed at once. */
    static final String POOLED = "test.databases.pooled=true";

    private final JdbcConnectionDetails home;
    private final Interference interference;
    private final boolean isPooled;
    private final Map<String, DataSource> sources = new ConcurrentHashMap<>();
    private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();

    TenantSources(JdbcConnectionDetails home, Interference interference, Environment environment) {
        this.home = home;
        this.interference = interference;
        this.isPooled = environment.getProperty("test.databases.pooled", Boolean.class, false);
        for (String tenant : new String[] {"a", "b"}) {
            add(tenant, environment.getRequiredProperty("test.databases." + tenant));
        }
    }

    /** Adds or replaces the database of a tenant. */
    public void add(String tenant, String url) {
        sources.put(tenant, interference.watched(source(url)));
    }

    DataSource of(String tenant) {
        DataSource found = sources.get(tenant);
        if (found == null) {
            throw new IllegalStateException("There is no database of " + tenant);
        }
        return found;
    }

    DataSource home() {
        return unpooled(home.getJdbcUrl());
    }

    private DataSource source(String url) {
        return isPooled ? pool(url) : unpooled(url);
    }

    private DataSource unpooled(String url) {
        return new DriverManagerDataSource(url, String.valueOf(home.getUsername()), String.valueOf(home.getPassword()));
    }

    private DataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setUsername(home.getUsername());
        pool.setPassword(home.getPassword());
        pool.setMinimumIdle(0);
        pools.add(pool);
        return pool;
    }

    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
    }
}
