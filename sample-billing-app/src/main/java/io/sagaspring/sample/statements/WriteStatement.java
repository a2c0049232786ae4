package io.sagaspring.sample.statements;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import org.springframework.stereotype.Component;

/** Writes the statement of a customer, and returns it. */
@Component
class WriteStatement implements DurableRun<String, Statement> {

    private final StatementTable table;

    WriteStatement(StatementTable table) {
        this.table = table;
    }

    @Override
    public Statement run(RunContext run, String customer) {
        return run.transactionalStep("write", Statement.class, () -> table.write(customer));
    }
}
