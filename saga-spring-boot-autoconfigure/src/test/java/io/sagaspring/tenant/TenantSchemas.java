package io.sagaspring.tenant;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.tenant.apart.Desk;
import io.sagaspring.test.database.TestDatabase;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Base class of tests in which each tenant has a schema. */
abstract class TenantSchemas extends TenantContract {

    final TestDatabase database = database();

    /** Creates a database with the tables of the jobs. */
    static TestDatabase database() {
        TestDatabase database = TestDatabase.create(MigratedSchema.class);
        JdbcClient client = JdbcClient.create(database.dataSource());
        for (String tenant : new String[] {"a", "b"}) {
            client.sql("CREATE SCHEMA tenant_" + tenant).update();
            client.sql("""
                            CREATE TABLE tenant_%s.desk (number bigint PRIMARY KEY, status text NOT NULL,
                                version bigint NOT NULL, note text NOT NULL)""".formatted(tenant)).update();
        }
        return database;
    }

    @Override
    void closeDatabases() {
        database.close();
    }

    @Override
    Stream<Class<?>> jobs() {
        return Stream.of(Desk.class);
    }

    @Override
    String status(String tenant, Class<?> job, long number) {
        return shop.database(tenant)
                .sql("SELECT status FROM tenant_%s.desk WHERE number = ?".formatted(tenant))
                .param(number)
                .query(String.class)
                .single();
    }

    @Override
    void writeStatus(String tenant, Class<?> job, long number, String status) {
        shop.database(tenant)
                .sql("UPDATE tenant_%s.desk SET status = ? WHERE number = ?".formatted(tenant))
                .params(status, number)
                .update();
    }

    @Override
    String lockAll(String tenant, Class<?> job) {
        return "SELECT 1 FROM tenant_%s.desk FOR UPDATE".formatted(tenant);
    }
}
