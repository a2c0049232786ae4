package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import io.sagaspring.schema.SagaSchema;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/**
 * Creates the data source from which the keeper opens its connection outside the pool. The data source has the pool's
 * address and user unless others are configured. If it cannot be created, the keeper uses the pool.
 */
final class KeeperConnection {

    private static final Logger logger = LoggerFactory.getLogger(KeeperConnection.class);

    private KeeperConnection() {}

    static DataSource besides(DataSource pool, SagaSchema schema, Duration interval) {
        return besides(pool, schema, interval, new KeeperProperties(null, true, null, null, null));
    }

    static DataSource besides(DataSource pool, SagaSchema schema, Duration interval, KeeperProperties address) {
        try {
            SimpleDriverDataSource own = new SimpleDriverDataSource();
            if (address.url() == null || address.username() == null || address.password() == null) {
                own = DataSourceBuilder.derivedFrom(pool)
                        .type(SimpleDriverDataSource.class)
                        .build();
            } else {
                own.setDriver(DriverManager.getDriver(address.url()));
            }
            if (address.url() != null) {
                own.setUrl(address.url());
            }
            if (address.username() != null) {
                own.setUsername(address.username());
            }
            if (address.password() != null) {
                own.setPassword(address.password());
            }
            own.setConnectionProperties(timeouts(interval));
            return Keeper.besides(
                    own, pool, "SELECT FROM %s WHERE false FOR UPDATE".formatted(schema.table("saga_claim")));
        } catch (RuntimeException | SQLException unknownKind) {
            logger.info(
                    "The heartbeat keeper uses a connection of the pool ({}), because a connection outside it could not be configured. Add one connection to the pool, or check saga.keeper.url, saga.keeper.username and saga.keeper.password. Set all three if the address cannot be derived from the pool",
                    pool.getClass().getName());
            logger.debug("A data source outside the pool could not be created", unknownKind);
            return pool;
        }
    }

    /**
     * Returns time-outs in seconds for the driver, so that a server that accepts the connection but never answers does
     * not block the keeper.
     */
    private static Properties timeouts(Duration interval) {
        String seconds = Long.toString(Math.max(1, interval.toSeconds()));
        Properties properties = new Properties();
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("loginTimeout", seconds);
        properties.setProperty("socketTimeout", seconds);
        return properties;
    }
}
