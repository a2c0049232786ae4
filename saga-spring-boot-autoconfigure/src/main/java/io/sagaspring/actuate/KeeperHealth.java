package io.sagaspring.actuate;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import java.util.List;
import java.util.Map;

/** Whether this node can keep alive what it holds. */
final class KeeperHealth implements HealthPart {

    private final Keeper keeper;

    /**
     * The health of a keeper.
     *
     * @param keeper keeps alive what this node holds
     */
    public KeeperHealth(Keeper keeper) {
        this.keeper = keeper;
    }

    @Override
    public void look(Map<String, Object> details, List<String> problems) {
        Throwable trouble = keeper.trouble();
        if (trouble != null) {
            problems.add("This node cannot renew what it holds: %s".formatted(trouble));
        }
        List<String> tooLong = keeper.holds().stream()
                .filter(hold -> hold.stop() == Hold.Stop.TOO_LONG)
                .map(hold -> "%s, for %s".formatted(hold.held(), DurationText.of(hold.age())))
                .toList();
        if (!tooLong.isEmpty()) {
            problems.add("%d pieces of work last longer than they may and ignore their interrupt: %s."
                    .formatted(tooLong.size(), String.join("; ", tooLong)));
        }
        details.put("kept", keeper.holds().size());
        details.put("overdue", tooLong);
    }
}
