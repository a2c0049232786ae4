package io.sagaspring.autoconfigure;

import io.sagaspring.run.RunEvent;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunListener;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs where to find each run that has failed or needs a person. The cause is in the log line before. */
final class LinkedTroubles implements RunListener {

    private static final Logger logger = LoggerFactory.getLogger(LinkedTroubles.class);

    private static final Set<RunEvent> TROUBLES =
            Set.of(RunEvent.FAILED, RunEvent.IN_DOUBT, RunEvent.PARKED, RunEvent.BLOCKED, RunEvent.COMPENSATION_FAILED);

    private final DashboardLinks links;

    LinkedTroubles(DashboardLinks links) {
        this.links = links;
    }

    @Override
    public void happened(String run, RunId id, RunEvent event) {
        String page = TROUBLES.contains(event) ? links.pageOf(id) : null;
        if (page != null) {
            logger.warn(
                    "Run {} of '{}' is {}. Open {}",
                    id,
                    run,
                    event.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    page);
        }
    }

    @Override
    public boolean needsTenant() {
        return false;
    }
}
