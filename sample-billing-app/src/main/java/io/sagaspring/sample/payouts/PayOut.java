package io.sagaspring.sample.payouts;

import static io.sagaspring.run.Retry.retry;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Runs;
import io.sagaspring.run.Step;
import io.sagaspring.sample.effects.PaymentProvider;
import io.sagaspring.sample.simulation.StepTrouble;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/** Pays out in one step, which is retried. */
@Component
class PayOut implements DurableRun<Payout, @Nullable Void> {

    static final String TRANSFER = "transfer";

    private final PaymentProvider payments;
    private final ObjectProvider<Runs> runs;

    PayOut(PaymentProvider payments, ObjectProvider<Runs> runs) {
        this.payments = payments;
        this.runs = runs;
    }

    @Override
    public @Nullable Void run(RunContext run, Payout payout) {
        run.step(
                Step.of(TRANSFER).retry(retry().max(5).delay(Duration.ofMillis(200))),
                () -> transfer(payout, run.idempotencyKey(), () -> simulateTrouble(run, payout)));
        return null;
    }

    private void transfer(Payout payout, String key, RunContext.Body meanwhile) throws Exception {
        payments.beginPayout(payout.reference(), key);
        meanwhile.run();
        payments.payOut(payout.reference(), payout.amountCents(), key);
    }

    private void simulateTrouble(RunContext run, Payout payout) throws InterruptedException {
        StepTrouble trouble = StepTrouble.parse(payout.simulated()).orElse(StepTrouble.NONE);
        // Count the attempts in the journal, because another instance may have made some of them.
        int attempt = trouble.fails()
                ? PayoutView.attempts(runs.getObject().find(run.runId()).orElseThrow())
                : 1;
        trouble.occur(TRANSFER, attempt);
    }
}
