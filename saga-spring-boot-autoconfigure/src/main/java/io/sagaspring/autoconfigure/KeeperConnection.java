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

/** Finds out how the keeper opens a connection beside the pool: by the pool's own address and user, unless others are set. */
final class KeeperConnection {

    private static final Logger logger = LoggerFactory.getLogger(KeeperConnection.class);

    private KeeperConnection() {}

    static DataSource besides(DataSource pool, SagaSchema schema, Duration beat) {
        return besides(pool, schema, beat, new KeeperProperties(null, true, null, null, null));
    }

    static DataSource besides(DataSource pool, SagaSchema schema, Duration beat, KeeperProperties address) {
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
            own.setConnectionProperties(impatient(beat));
            return Keeper.besides(
                    own, pool, "SELECT FROM %s WHERE false FOR UPDATE".formatted(schema.table("saga_claim")));
        } catch (RuntimeException | SQLException unknownKind) {
            logger.info(
                    "The keeper uses a connection of the pool: how {} reaches its database is not known. Give the pool one connection more",
                    pool.getClass().getName());
            logger.debug("A data source beside the pool could not be made", unknownKind);
            return pool;
        }
    }

    /** A server that accepts and never answers must not hold up the keeper. The driver counts in seconds. */
    private static Properties impatient(Duration beat) {
        String seconds = Long.toString(Math.max(1, beat.toSeconds()));
        Properties properties = new Properties();
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("loginTimeout", seconds);
        properties.setProperty("socketTimeout", seconds);
        return properties;
    }
}
