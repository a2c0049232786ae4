package io.sagaspring.actuate;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import java.util.List;
import java.util.Map;

/** Reports a heartbeat keeper that cannot renew its leases, and work that exceeds its time limit. */
final class KeeperHealth implements HealthPart {

    private final Keeper keeper;

    /**
     * Creates the health of a keeper.
     *
     * @param keeper the heartbeat keeper, which renews the leases of this node
     */
    public KeeperHealth(Keeper keeper) {
        this.keeper = keeper;
    }

    @Override
    public void report(Map<String, Object> details, List<String> problems) {
        Throwable trouble = keeper.trouble();
        if (trouble != null) {
            problems.add("This node cannot renew the leases that it holds: %s".formatted(trouble));
        }
        List<String> tooLong = keeper.holds().stream()
                .filter(hold -> hold.stop() == Hold.Stop.TOO_LONG)
                .map(hold -> "%s, for %s".formatted(hold.held(), DurationText.of(hold.age())))
                .toList();
        if (!tooLong.isEmpty()) {
            problems.add("Work has exceeded its time limit and does not react to the interrupt (%d): %s."
                    .formatted(tooLong.size(), String.join("; ", tooLong)));
        }
        details.put("kept", keeper.holds().size());
        details.put("overdue", tooLong);
    }
}
