package io.sagaspring.sample.payouts;

import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Service;

/** Starts payouts, and finds them again by their labels. */
@Service
class Payouts {

    private static final String TENANT = "tenant";
    private static final String REFERENCE = "reference";
    private static final int MOST_LISTED = 500;

    private final Runs runs;

    Payouts(Runs runs) {
        this.runs = runs;
    }

    /** Starts a payout, or returns the earlier one with the same reference. */
    RunHandle<?> start(Payout payout, int priority) {
        return runs.start(
                PayOut.class,
                payout,
                RunOptions.withKey("payout:" + payout.reference())
                        .in(PayoutsConfiguration.QUEUE)
                        .of(payout.tenant())
                        .urgent(priority)
                        .andLabel(TENANT, payout.tenant())
                        .andLabel(REFERENCE, payout.reference()));
    }

    Optional<PayoutView> find(RunId id) {
        return runs.find(id)
                .filter(run -> run.labels().containsKey(REFERENCE))
                .map(run -> PayoutView.of(run, label(run, TENANT), label(run, REFERENCE)));
    }

    private static String label(RunView run, String name) {
        return run.labels().getOrDefault(name, "");
    }

    /** Returns the latest payouts of a tenant, most recent first. */
    List<PayoutView> of(String tenant) {
        return runs.list(runs.queryOf(PayOut.class).withLabel(TENANT, tenant).latest(MOST_LISTED)).stream()
                .sorted(Comparator.comparing(RunView::startedAt).reversed())
                .flatMap(run -> find(run.id()).stream())
                .toList();
    }
}
