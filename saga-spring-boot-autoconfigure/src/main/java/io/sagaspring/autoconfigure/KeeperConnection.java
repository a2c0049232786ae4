package io.sagaspring.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/** Where the keeper gets a connection that nobody else uses: beside the pool, by the pool's own address and user. */
final class KeeperConnection extends AbstractDataSource {

    private static final Logger logger = LoggerFactory.getLogger(KeeperConnection.class);

    private final DataSource own;
    private final DataSource pool;

    private KeeperConnection(DataSource own, DataSource pool) {
        this.own = own;
        this.pool = pool;
    }

    static DataSource besides(DataSource pool) {
        try {
            DataSource own = DataSourceBuilder.derivedFrom(pool)
                    .type(SimpleDriverDataSource.class)
                    .build();
            return new KeeperConnection(own, pool);
        } catch (RuntimeException unknownKind) {
            logger.info(
                    "The keeper uses a connection of the pool: how {} reaches its database is not known. Give the pool one connection more",
                    pool.getClass().getName());
            logger.debug("A data source beside the pool could not be made", unknownKind);
            return pool;
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            return own.getConnection();
        } catch (SQLException refused) {
            // The pool may know more than its address and user: a certificate, a token that is renewed.
            try {
                return pool.getConnection();
            } catch (SQLException refusedToo) {
                refused.addSuppressed(refusedToo);
                throw refused;
            }
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return own.getConnection(user, password);
    }
}
