package com.example.docs.runs;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Step;
import java.time.Duration;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * Waits for a person, and then makes a transfer that must not be repeated. The bank executes a repeated request again,
 * but can report whether a transfer exists.
 */
@Component
class PayOut implements DurableRun<AccountId, Optional<String>> {

    private final Bank.Transfers transfers;

    PayOut(Bank.Transfers transfers) {
        this.transfers = transfers;
    }

    @Override
    public Optional<String> run(RunContext run, AccountId account) {
        Optional<String> approver = run.awaitSignal("approved", Duration.ofDays(3), String.class);
        if (approver.isEmpty()) {
            return Optional.empty();
        }
        Step transfer = Step.of("transfer").notRepeatable(key -> transfers.find(key));
        return Optional.of(run.step(transfer, String.class, () -> transfers.send(account, run.idempotencyKey())));
    }
}
