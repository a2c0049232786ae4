package io.sagaspring.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.fence.ActiveTransactionException;
import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests the claim of an idempotency key in the action or the validation of a step. */
class KeyInStepTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(database);
    private static final Idempotency idempotency = shop.bean(Idempotency.class);
    private static final IdempotencyKey KEY = IdempotencyKey.of("label", "request-1");

    private final long parcel = shop.pack();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void nothingIsKnown() {
        shop.database().sql("DELETE FROM saga_idempotency_key").update();
        shop.script().action = (entity, context) -> ActionResult.success();
        shop.script().validation = (entity, context) -> List.of();
    }

    private static String label() {
        return idempotency.inTransaction().execute(KEY, String.class, () -> "label");
    }

    /**
     * Otherwise a caller that waits for the key would wait for the step, and the step might wait for that caller. The
     * database would not detect this deadlock.
     */
    @Test
    void aStepWithAClaimCannotClaimASameTransactionKey() {
        shop.script().action = (entity, context) -> ActionResult.success(label());

        assertThatExceptionOfType(ActiveTransactionException.class)
                .isThrownBy(() -> shop.send(parcel))
                .withMessageContaining("cannot be claimed in the transaction of a step");
        assertThat(shop.status(parcel)).isEqualTo("PACKED");

        shop.script().validation = (entity, context) -> List.of(label());

        assertThatExceptionOfType(ActiveTransactionException.class)
                .isThrownBy(() -> shop.send(parcel))
                .withMessageContaining("cannot be claimed in the transaction of a step");
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(keys()).isZero();
    }

    @Test
    void aStepWithAClaimCannotClaimAKeyWithASeparateCommit() {
        shop.script().action =
                (entity, context) -> ActionResult.success(idempotency.execute(KEY, String.class, () -> "label"));

        assertThatExceptionOfType(ActiveTransactionException.class)
                .isThrownBy(() -> shop.send(parcel))
                .withMessageContaining("cannot be claimed inside an active transaction");
        assertThat(keys()).isZero();
    }

    @Test
    void aStepWithoutAClaimCanClaimASameTransactionKey() {
        shop.send(parcel);
        shop.script().action = (entity, context) -> ActionResult.success(label());

        assertThat(shop.workflows().run("parcel", parcel, "lose", Shop.ADMIN))
                .isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(keys()).isOne();
    }

    /**
     * After a step, the library must no longer treat the thread as part of the step, because other work uses the
     * thread.
     */
    @Test
    void aThreadCanClaimKeysAgainAfterAStep() {
        shop.send(parcel);

        assertThat(label()).isEqualTo("label");
    }

    /** The step's own transaction is suspended, so the other step and the key are not part of that transaction. */
    @Test
    void aStepCanRunOtherStepsAndClaimKeysOutsideItsTransaction() {
        long other = shop.pack();
        TransactionTemplate outside = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
        outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        AtomicReference<TransitionOutcome> inner = new AtomicReference<>();
        shop.script().action = (entity, context) -> {
            shop.script().action = (again, same) -> ActionResult.success();
            outside.executeWithoutResult(status -> inner.set(shop.send(other)));
            return ActionResult.success(outside.execute(status -> label()));
        };

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(inner.get()).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(keys()).isOne();
    }

    private static int keys() {
        return shop.database()
                .sql("SELECT count(*) FROM saga_idempotency_key")
                .query(Integer.class)
                .single();
    }
}
