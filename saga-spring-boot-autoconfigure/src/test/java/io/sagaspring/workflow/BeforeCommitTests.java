package io.sagaspring.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A step is rolled back if a callback before its commit throws a TransactionException. Spring alone does not roll back
 * in this case, but JPA does.
 */
class BeforeCommitTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @Test
    void aStepIsRolledBackIfACallbackBeforeItsCommitThrows() {
        try (Shop shop = Shop.open(database)) {
            long id = shop.pack();
            long other = shop.pack();
            EntityManager entities = shop.bean(EntityManager.class);
            shop.script().action = (entity, context) -> {
                entities.find(Parcel.class, other).note("written");
                entities.flush();
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        throw new IllegalTransactionStateException("refused");
                    }
                });
                return ActionResult.success();
            };

            assertThatThrownBy(() -> shop.send(id)).hasMessageContaining("refused");

            assertThat(shop.note(other)).isEmpty();
            assertThat(shop.status(id)).isEqualTo("PACKED");
        }
    }
}
