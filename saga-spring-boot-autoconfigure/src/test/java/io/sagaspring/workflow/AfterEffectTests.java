package io.sagaspring.workflow;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * An after-effect runs outside any transaction and holds no connection. Its entity can still load associations lazily.
 */
class AfterEffectTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    /** A typical transactional bean of an application. */
    static class Mailer {

        private final EntityManager entities;

        Mailer(EntityManager entities) {
            this.entities = entities;
        }

        @Transactional
        public void remember(long parcel, String note) {
            entities.find(Parcel.class, parcel).note(note);
        }
    }

    @Test
    void anAfterEffectCanUseJdbcAndTransactionsWithAPoolOfOneConnection() throws Exception {
        try (Shop shop = Shop.open(
                database,
                application -> application.sources(Mailer.class),
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.connection-timeout=30000",
                "saga.due.max-attempts=1")) {
            long parcel = shop.pack();
            CompletableFuture<String> mailed = new CompletableFuture<>();
            shop.script().afterEffect = (entity, context) -> {
                try {
                    String note = shop.bean(JdbcTemplate.class)
                            .queryForObject("SELECT note FROM parcel WHERE id = ?", String.class, entity.id());
                    shop.bean(Mailer.class).remember(entity.id(), note + ", mailed");
                    Integer parcels =
                            shop.bean(JdbcTemplate.class).queryForObject("SELECT count(*) FROM parcel", Integer.class);
                    mailed.complete(entity.note() + " of " + parcels);
                } catch (RuntimeException failed) {
                    mailed.completeExceptionally(failed);
                }
            };

            assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);

            assertThat(mailed.get(20, SECONDS)).isEqualTo("sent by admin, mailed of 1");
            assertThat(shop.note(parcel)).isEqualTo("sent by admin, mailed");
            await().atMost(20, SECONDS)
                    .until(() -> shop.database()
                                    .sql("SELECT count(*) FROM saga_due")
                                    .query(Integer.class)
                                    .single()
                            == 0);
        }
    }
}
