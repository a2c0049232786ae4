package io.sagaspring.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Steps run at READ COMMITTED even if the database has another default, and do not change the isolation of other
 * transactions.
 */
class IsolationTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @ParameterizedTest
    @ValueSource(strings = {"serializable", "repeatable read", "read committed"})
    void aStepRunsAtReadCommittedAndTheApplicationKeepsTheDatabasesDefault(String preferred) {
        JdbcClient.create(database.dataSource()).sql("""
                        DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I SET default_transaction_isolation = %%L',
                            current_database(), '%s'); END $$""".formatted(preferred)).update();
        try (Shop shop = Shop.open(database, "spring.datasource.hikari.maximum-pool-size=1")) {
            long parcel = shop.pack();
            AtomicReference<String> seen = new AtomicReference<>();
            shop.script().action = (entity, context) -> {
                seen.set(isolation(shop.bean(EntityManager.class)));
                return ActionResult.success();
            };

            assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);

            assertThat(seen).hasValue("read committed");
            assertThat(shop.<String>inTransaction(IsolationTests::isolation)).isEqualTo(preferred);
        }
    }

    private static String isolation(EntityManager entities) {
        return (String) entities.createNativeQuery("SELECT current_setting('transaction_isolation')", String.class)
                .getSingleResult();
    }
}
