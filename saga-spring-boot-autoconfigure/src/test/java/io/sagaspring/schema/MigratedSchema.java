package io.sagaspring.schema;

import io.sagaspring.test.database.DatabaseTemplate;
import javax.sql.DataSource;

/** A database in which the library has already run. */
public final class MigratedSchema implements DatabaseTemplate {

    @Override
    public void fill(DataSource dataSource) {
        new SchemaInstaller(dataSource, null).migrate();
    }
}
