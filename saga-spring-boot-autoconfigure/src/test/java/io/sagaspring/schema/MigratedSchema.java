package io.sagaspring.schema;

import io.sagaspring.test.database.DatabaseTemplate;
import javax.sql.DataSource;

/** A database that already has the library's tables. */
public final class MigratedSchema implements DatabaseTemplate {

    @Override
    public void fill(DataSource dataSource) {
        new SchemaInstaller(dataSource, null).migrate();
    }
}
