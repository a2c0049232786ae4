package io.sagaspring.sample.statements;

import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Service;

/** Writes statements: soon after a payment, or while the caller waits. */
@Service
class Statements {

    private static final String QUEUE = "statements";

    private final StatementTable table;
    private final Runs runs;
    private final Duration quiet;
    private final Duration atMost;

    Statements(
            StatementTable table,
            Runs runs,
            @Value("${sample.statements.quiet:2s}") Duration quiet,
            @Value("${sample.statements.at-most:20s}") Duration atMost) {
        this.table = table;
        this.runs = runs;
        this.quiet = quiet;
        this.atMost = atMost;
    }

    @Configuration(proxyBeanMethods = false)
    static class Queue {

        /** Executes the runs of each customer one after the other, which {@code quietFor} requires. */
        @Bean
        RunQueue statementQueue() {
            return RunQueue.named(QUEUE).atOnce(2).atOnceForEach(1).keepsPermits();
        }
    }

    /**
     * Writes the customer's statement when no payment has come for a while, but at the latest after {@code atMost}.
     * Many payments lead to one statement.
     */
    void writeSoon(String customer) {
        runs.start(
                WriteStatement.class,
                customer,
                RunOptions.withKey("statement:" + customer)
                        .quietFor(quiet, atMost)
                        .in(QUEUE));
    }

    /** Writes the customer's statement now. This thread executes the run if a slot is free. */
    Statement writeNow(String customer) throws InterruptedException {
        return runs.execute(WriteStatement.class, customer);
    }

    Optional<Statement> find(String customer) {
        return table.find(customer);
    }
}
