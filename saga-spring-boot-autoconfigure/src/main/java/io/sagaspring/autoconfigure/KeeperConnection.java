package io.sagaspring.autoconfigure;

import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/** Where the keeper gets a connection that nobody else uses: beside the pool, by the pool's own address and user. */
final class KeeperConnection {

    private static final Logger logger = LoggerFactory.getLogger(KeeperConnection.class);

    private KeeperConnection() {}

    static DataSource besides(DataSource pool) {
        try {
            return DataSourceBuilder.derivedFrom(pool)
                    .type(SimpleDriverDataSource.class)
                    .build();
        } catch (RuntimeException unknownKind) {
            logger.info(
                    "The keeper uses a connection of the pool: how {} reaches its database is not known. Give the pool one connection more",
                    pool.getClass().getName());
            logger.debug("A data source beside the pool could not be made", unknownKind);
            return pool;
        }
    }
}
