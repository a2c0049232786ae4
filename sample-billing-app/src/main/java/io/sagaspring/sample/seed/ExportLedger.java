package io.sagaspring.sample.seed;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;

/** Exports a year. {@link DeadNodes} lets the nodes of one such run die. */
@Component
@ConditionalOnBooleanProperty("sample.seed")
class ExportLedger implements DurableRun<String, String> {

    @Override
    public String run(RunContext run, String year) {
        return run.step("export", String.class, () -> "ledger-%s.csv".formatted(year));
    }
}
