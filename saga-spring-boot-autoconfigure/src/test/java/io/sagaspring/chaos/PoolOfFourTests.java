package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.chaos.Mover.Hooks;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionOutcome.ClaimFailed;
import io.sagaspring.workflow.TransitionOutcome.Completed;
import io.sagaspring.workflow.TransitionOutcome.NotApplicable;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Tests 64 callers that share a pool of four connections. Each caller's thread has an entity manager, as with
 * open-in-view. Each caller reads first, so it holds a connection until its request ends. If a step took a second
 * connection, all callers would wait for each other.
 */
class PoolOfFourTests {

    private static final int CALLERS = 64;

    private static final TestDatabase database = Depot.database();
    private static final JdbcClient client = JdbcClient.create(database.dataSource());
    private static final Journal journal = Journal.create();
    private static final Depot depot = Depot.open(
            database,
            journal,
            "depot",
            "spring.datasource.hikari.maximum-pool-size=4",
            "spring.datasource.hikari.connection-timeout=20000",
            "saga.janitor.stuck-after=1m");

    @AfterAll
    static void close() {
        depot.close();
        database.close();
        journal.delete();
    }

    @AfterEach
    void resetHooks() {
        depot.mover().hooks = new Hooks() {};
    }

    @Test
    void everyCallerCompletesWithOneConnectionAndAFreshEntity() throws Exception {
        depot.mover().hooks = new Hooks() {
            @Override
            public void begun(Crate crate, ActionContext context) {
                assertThat(crate.note()).isEqualTo("fresh");
            }
        };

        List<TransitionOutcome> outcomes = race(caller -> {
            long crate = pack();
            return () -> inView(entities -> {
                assertThat(entities.find(Crate.class, crate).note()).isEmpty();
                client.sql("UPDATE crate SET note = 'fresh', version = version + 1 WHERE id = ?")
                        .param(crate)
                        .update();
                TransitionOutcome outcome = depot.run("ship", crate);
                assertThat(entities.find(Crate.class, crate).status()).isEqualTo(Crate.Status.AWAY);
                return outcome;
            });
        });

        assertThat(outcomes).hasSize(CALLERS).allMatch(Completed.class::isInstance);
        await().atMost(20, SECONDS).until(() -> Inspection.isQuiet(client));
        assertThat(depot.bean(ConnectionsPerThread.class).most()).isOne();
        assertThat(depot.interference().mostConnectionsAtOnce()).isLessThanOrEqualTo(4);
    }

    @Test
    void onlyOneOfManyCallersCompletesAStepOfTheSameEntity() throws Exception {
        long crate = pack();

        List<TransitionOutcome> outcomes = race(caller -> () -> inView(entities -> {
            assertThat(entities.find(Crate.class, crate)).isNotNull();
            return depot.run("haul", crate);
        }));

        assertThat(outcomes).filteredOn(Completed.class::isInstance).hasSize(1);
        assertThat(outcomes)
                .filteredOn(outcome -> outcome instanceof ClaimFailed || outcome instanceof NotApplicable)
                .hasSize(CALLERS - 1);
        assertThat(depot.bean(ConnectionsPerThread.class).most()).isOne();
    }

    private interface InView {
        TransitionOutcome call(EntityManager entities) throws Exception;
    }

    /** Binds an entity manager to the thread, like OpenEntityManagerInViewInterceptor. */
    private static TransitionOutcome inView(InView request) throws Exception {
        EntityManagerFactory factory = depot.bean(EntityManagerFactory.class);
        try (EntityManager entities = factory.createEntityManager()) {
            TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(entities));
            try {
                return request.call(entities);
            } finally {
                TransactionSynchronizationManager.unbindResource(factory);
            }
        }
    }

    private static List<TransitionOutcome> race(IntFunction<Callable<TransitionOutcome>> callers) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try {
            CyclicBarrier together = new CyclicBarrier(CALLERS);
            List<Future<TransitionOutcome>> running = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                Callable<TransitionOutcome> call = callers.apply(caller);
                running.add(threads.submit(() -> {
                    together.await(20, SECONDS);
                    return call.call();
                }));
            }
            List<TransitionOutcome> outcomes = new ArrayList<>();
            for (Future<TransitionOutcome> each : running) {
                outcomes.add(each.get(60, SECONDS));
            }
            return outcomes;
        } finally {
            threads.shutdownNow();
        }
    }

    private static long pack() {
        return client.sql("INSERT INTO crate (status, note, version) VALUES ('HOME', '', 0) RETURNING id")
                .query(Long.class)
                .single();
    }
}
