package io.sagaspring.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The claim is removed last. Otherwise the ledger's row would be locked while code of the application runs, or while the
 * step waits for another call with the same effect key.
 */
class LastStatementsTests {

    private static final Pattern NAME = Pattern.compile("/\\* saga:(\\S+) \\*/");

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private static String kind(String sql) {
        Matcher name = NAME.matcher(sql);
        return name.find() ? name.group(1) : sql.strip().split(" ", 2)[0].toUpperCase(Locale.ROOT);
    }

    @Test
    void theClaimIsRemovedByTheLastStatementBeforeTheCommit() {
        List<String> sent = new CopyOnWriteArrayList<>();
        Thread caller = Thread.currentThread();
        try (Shop shop = Shop.open(database, "saga.workflows.parcel.steps[0].success-after-effect.any=script")) {
            long parcel = shop.pack();
            long other = shop.pack();
            EntityManager entities = shop.bean(EntityManager.class);
            shop.script().action = (entity, context) -> {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        entities.find(Parcel.class, other).note("seen");
                    }
                });
                return ActionResult.success();
            };
            shop.interference().with(new Interference.Around() {
                @Override
                public void before(String sql, Connection connection) {
                    // The janitor and the background work use their own threads.
                    if (Thread.currentThread() == caller) {
                        sent.add(kind(sql));
                    }
                }
            });

            assertThat(shop.workflows()
                            .run(TransitionRequest.of("parcel", parcel, "send", Shop.ADMIN)
                                    .effectKey("send once")))
                    .isInstanceOf(TransitionOutcome.Completed.class);
        }

        assertThat(sent.subList(sent.indexOf("claim.flip"), sent.indexOf("COMMIT") + 1))
                .containsExactly(
                        "claim.flip",
                        "SELECT",
                        "SELECT",
                        "UPDATE",
                        "UPDATE",
                        "due.insert",
                        "effect.write",
                        "claim.remove",
                        "COMMIT");
    }
}
