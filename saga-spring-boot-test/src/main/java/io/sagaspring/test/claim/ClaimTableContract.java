package io.sagaspring.test.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.autoconfigure.SagaDataSource;
import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.database.Databases;
import io.sagaspring.entity.ClaimTable;
import io.sagaspring.entity.DescribedTables;
import io.sagaspring.entity.EntityRow;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.entity.EntityTables;
import io.sagaspring.entity.LoadedEntity;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The contract of every {@link ClaimTable}, as tests. Extend this class in a test of your application for each table
 * that you describe:
 *
 * <pre>{@code
 * @SpringBootTest
 * @FreshDatabase
 * class InvoiceTableTests extends ClaimTableContract {
 *
 *     @Autowired
 *     InvoiceRepository invoices;
 *
 *     @Override
 *     protected Class<?> entity() {
 *         return Invoice.class;
 *     }
 *
 *     @Override
 *     protected Object insert(String status) {
 *         return invoices.save(new Invoice(status)).id();
 *     }
 * }
 * }</pre>
 *
 * <p>The tests claim rows, with the first claim state that the application declares for the entity. They run no step,
 * so they execute no action.
 *
 * @since 0.1.0
 */
public abstract class ClaimTableContract {

    private static final int CALLERS = 8;
    private static final int RACES = 10;
    private static final String REQUESTER = "contract";

    @Autowired
    private @Nullable ApplicationContext application;

    /** Creates the contract for the table of the subclass. */
    protected ClaimTableContract() {}

    /**
     * Returns the entity whose table is tested.
     *
     * @return the entity class whose table the application describes
     */
    protected abstract Class<?> entity();

    /**
     * Inserts a new row, in the transaction of the calling thread if there is one.
     *
     * @param status the name of the status that the row gets
     * @return the id of the row
     */
    protected abstract Object insert(String status);

    private <T> T bean(Class<T> type) {
        return Objects.requireNonNull(application).getBean(type);
    }

    private ClaimState state() {
        return bean(DeclaredClaimStates.class).all().stream()
                .filter(state -> state.entity() == entity())
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        "The application declares no claim state for %s. Name it as the entity of a workflow, or declare a bean of type ClaimState."
                                .formatted(entity().getName())));
    }

    private EntityTable table() {
        return bean(DeclaredClaimStates.class).tableOf(state());
    }

    private Object open() {
        return insert(state().revertTo());
    }

    private EntityRow row(Object id) {
        return table().read(table().rowId(id)).orElseThrow();
    }

    private ClaimAttempt attempt(Object id) {
        return bean(ClaimService.class).tryClaim(state(), id, REQUESTER);
    }

    private Claim claimed(Object id) {
        ClaimAttempt attempt = attempt(id);
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }

    private ClaimedRow ledgerRow(Claim claim) {
        return bean(ClaimRecovery.class).find(claim.entity(), claim.key()).orElseThrow();
    }

    /** Returns the data source of the database that holds the library's tables. */
    private DataSource dataSource() {
        ApplicationContext context = Objects.requireNonNull(application);
        String[] marked = context.getBeanNamesForAnnotation(SagaDataSource.class);
        return marked.length == 0 ? context.getBean(DataSource.class) : context.getBean(marked[0], DataSource.class);
    }

    /** Returns a table of the entity that reads and writes through another data source. */
    private EntityTable over(DataSource other) {
        List<ClaimTable<?>> described = new ArrayList<>();
        Objects.requireNonNull(application)
                .getBeanProvider(ResolvableType.forClass(ClaimTable.class))
                .forEach(table -> described.add((ClaimTable<?>) table));
        DescribedTables tables = new DescribedTables(
                described,
                other,
                () -> bean(PlatformTransactionManager.class),
                Databases.only(new OwnTransactions(other)));
        return new EntityTables(List.of(tables))
                .find(entity(), state().statusProperty(), List.of(state().into(), state().revertTo()), fault -> {
                    throw new AssertionError(fault);
                })
                .orElseThrow();
    }

    @Test
    void oneOfManyCallersGetsTheClaim() throws Exception {
        Object id = open();
        long version = row(id).version();
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try {
            for (int race = 1; race <= RACES; race++) {
                CyclicBarrier together = new CyclicBarrier(CALLERS);
                List<Claim> winners = new ArrayList<>();
                for (Future<ClaimAttempt> caller : threads.invokeAll(racing(together, id))) {
                    if (caller.get() instanceof ClaimAttempt.Granted granted) {
                        winners.add(granted.claim());
                    }
                }
                assertThat(winners).as("winners of race %s", race).hasSize(1);
                assertThat(bean(ClaimService.class).release(winners.get(0))).isEqualTo(ClaimEnd.DONE);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(row(id))
                .as("the row after %s claims and releases", RACES)
                .isEqualTo(new EntityRow(state().revertTo(), version + 2L * RACES));
    }

    private List<Callable<ClaimAttempt>> racing(CyclicBarrier together, Object id) {
        return IntStream.range(0, CALLERS)
                .<Callable<ClaimAttempt>>mapToObj(caller -> () -> {
                    together.await(20, TimeUnit.SECONDS);
                    return attempt(id);
                })
                .toList();
    }

    @Test
    void aClaimedRowIsReadBackByItsStatusAndByTheTextOfItsId() throws Exception {
        Object id = open();
        long version = row(id).version();
        Claim claim = claimed(id);

        assertThat(claim.version()).isEqualTo(version + 1);
        assertThat(row(id)).isEqualTo(new EntityRow(state().into(), version + 1));
        assertThat(table().rowId(table().text(claim.id()))).isEqualTo(claim.id());
        assertThat(table().rowIdOf(claim.key()))
                .as("the id in the ledger's row")
                .isEqualTo(claim.id());
        List<Object> loaded = new ArrayList<>();
        table().outsideTransaction(claim.id(), found -> found.ifPresent(loaded::add));
        assertThat(loaded).as("the entity that the loader returns").hasSize(1);
        assertThat(loaded.get(0)).isInstanceOf(entity());

        assertThat(bean(ClaimService.class).release(claim)).isEqualTo(ClaimEnd.DONE);
        assertThat(row(id)).isEqualTo(new EntityRow(state().revertTo(), version + 2));
    }

    /** If the loader read outside the transaction, it would not return what the transaction has written. */
    @Test
    void theLoaderReadsInTheTransactionOfTheStep() {
        boolean found = table().foreign("contract", transaction -> {
            transaction.status().setRollbackOnly();
            Object id = table().rowId(open());
            return transaction
                    .load(id, new EntityRow(state().revertTo(), 0))
                    .flatMap(LoadedEntity::instance)
                    .isPresent();
        });

        assertThat(found)
                .as("the loader finds a row that its transaction has inserted")
                .isTrue();
    }

    @Test
    void anOwnerThatHasLostItsClaimEndsNothing() {
        Object id = open();
        Claim lost = claimed(id);
        assertThat(bean(ClaimRecovery.class).release(ledgerRow(lost))).isEqualTo(ClaimRecovery.Recovered.FREED);
        Claim taken = claimed(id);
        EntityRow before = row(id);

        assertThat(taken.token()).isGreaterThan(lost.token());
        assertThat(bean(ClaimService.class).complete(lost, state().revertTo())).isEqualTo(ClaimEnd.TAKEN);
        assertThat(bean(ClaimService.class).release(lost)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(row(id)).isEqualTo(before);
        assertThat(bean(ClaimService.class).release(taken)).isEqualTo(ClaimEnd.DONE);
    }

    @Test
    void aClaimWithoutHeartbeatsIsReverted() {
        Object id = open();
        long version = row(id).version();
        Claim silent = claimed(id);
        ClaimedRow row = ledgerRow(silent);
        silence(silent);

        // The application's own janitor may revert the claim first. While it does so, it holds the claim.
        ClaimRecovery.Recovered recovered;
        do {
            recovered = bean(ClaimRecovery.class).recover(bean(Databases.class).home(), row, Duration.ofMinutes(1));
        } while (recovered == ClaimRecovery.Recovered.BLOCKED);

        assertThat(row(id)).isEqualTo(new EntityRow(state().revertTo(), version + 2));
        assertThat(bean(ClaimRecovery.class).find(silent.entity(), silent.key()))
                .isEmpty();
    }

    @Test
    void aRowInAClaimStateWithoutAClaimIsAdoptedAndReverted() {
        Object id = insert(state().into());
        long version = row(id).version();

        bean(ClaimRecovery.class).adoptOrphans(state().module());
        bean(ClaimRecovery.class).adoptOrphans(state().module());

        String key = table().text(table().rowId(id));
        ClaimedRow adopted = bean(ClaimRecovery.class).find(table().name(), key).orElseThrow();
        assertThat(bean(ClaimRecovery.class).release(adopted)).isEqualTo(ClaimRecovery.Recovered.FREED);
        assertThat(row(id)).isEqualTo(new EntityRow(state().revertTo(), version + 1));
    }

    /** The connection breaks after the server has committed the claim. */
    @Test
    void aClaimWhoseAnswerIsLostIsFoundAndNotRepeated() {
        Object id = open();
        long version = row(id).version();
        LostAnswer lossy = new LostAnswer(dataSource(), "claim.flip");

        ClaimAttempt attempt = new ClaimLedger(
                        bean(SagaSchema.class), Databases.only(bean(OwnTransactions.class)), REQUESTER, List.of())
                .claim(over(lossy), table().rowId(id), state(), REQUESTER, OptionalLong.empty());

        assertThat(lossy.happened()).as("the server's reply was lost").isTrue();
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        assertThat(row(id)).isEqualTo(new EntityRow(state().into(), version + 1));
        assertThat(bean(ClaimService.class).release(((ClaimAttempt.Granted) attempt).claim()))
                .isEqualTo(ClaimEnd.DONE);
    }

    private void silence(Claim claim) {
        int silent = JdbcClient.create(dataSource())
                .sql("UPDATE %s SET alive_at = alive_at - INTERVAL '1 hour' WHERE entity = ? AND entity_id = ?"
                        .formatted(bean(SagaSchema.class).table("saga_claim")))
                .params(claim.entity(), claim.key())
                .update();
        assertThat(silent).isOne();
    }
}
