package io.sagaspring.chaos;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import java.time.Duration;

/**
 * A run of a tenant. Each of its parts records the tenant for which it was executed. A third of these runs compensate.
 */
final class TenantErrand implements DurableRun<String, String> {

    /** The name of a signal that never comes, so that the wait for it times out. */
    private static final String SILENCE = "silence";

    private final Office office;

    TenantErrand(Office office) {
        this.office = office;
    }

    /** Returns the input of the tenant's run with the given number. */
    static String input(String tenant, int number) {
        return tenant + "-" + number;
    }

    @Override
    public String name() {
        return "tenant-errand";
    }

    @Override
    public String run(RunContext run, String input) {
        office.noteTenant(run, "code");
        run.step("pay", () -> office.noteTenant(run, "pay"));
        run.transactionalStep("book", () -> office.noteTenant(run, "book"));
        run.sleep("rest", Duration.ofMillis(10));
        boolean silent =
                run.awaitSignal(SILENCE, Duration.ofMillis(10), String.class).isEmpty();
        if (Integer.parseInt(input.substring(input.indexOf('-') + 1)) % 3 == 0) {
            run.compensating();
            run.step("refund", () -> office.noteTenant(run, "refund"));
        }
        run.step("notify", () -> office.noteTenant(run, "notify"));
        return input + silent;
    }
}
