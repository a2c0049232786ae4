package io.sagaspring.actuate;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import java.util.List;
import java.util.Map;

/** Reports a heartbeat keeper that cannot renew the node's leases, and work that has exceeded its time limit. */
final class KeeperHealth implements HealthPart {

    private final Keeper keeper;

    public KeeperHealth(Keeper keeper) {
        this.keeper = keeper;
    }

    @Override
    public void report(Map<String, Object> details, List<String> problems) {
        Throwable trouble = keeper.trouble();
        if (trouble != null) {
            problems.add("This node cannot renew some or all of the leases that it holds: %s".formatted(trouble));
        }
        List<String> tooLong = keeper.holds().stream()
                .filter(hold -> hold.stop() == Hold.Stop.TOO_LONG)
                .map(hold -> "%s, for %s".formatted(hold.held(), DurationText.of(hold.age())))
                .toList();
        if (!tooLong.isEmpty()) {
            problems.add("Work has exceeded its time limit and continues, although it was interrupted (number: %d): %s."
                    .formatted(tooLong.size(), String.join("; ", tooLong)));
        }
        details.put("kept", keeper.holds().size());
        details.put("overdue", tooLong);
    }
}
