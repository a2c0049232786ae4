package io.sagaspring.tenant;

import io.sagaspring.shop.Interference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The databases of the tenants. The properties {@code test.databases.<tenant>} name them, and a test can add others
 * while the application runs.
 */
public final class TenantSources {

    private final JdbcConnectionDetails home;
    private final Interference interference;
    private final Map<String, DataSource> sources = new ConcurrentHashMap<>();

    TenantSources(JdbcConnectionDetails home, Interference interference, Environment environment) {
        this.home = home;
        this.interference = interference;
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
        return source(home.getJdbcUrl());
    }

    private DataSource source(String url) {
        return new DriverManagerDataSource(url, String.valueOf(home.getUsername()), String.valueOf(home.getPassword()));
    }
}
