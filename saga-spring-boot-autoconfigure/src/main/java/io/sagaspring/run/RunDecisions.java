package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out a person's decisions about a run: to retry it, to give it up, or to resolve a step in doubt. Logs each
 * decision that changes the run.
 */
final class RunDecisions {

    private static final Logger logger = LoggerFactory.getLogger(Runs.class);

    private final VisibleRuns visible;
    private final RunCatalog catalog;
    private final RunNotifier notifier;
    private final Runnable wake;

    RunDecisions(VisibleRuns visible, RunCatalog catalog, RunNotifier notifier, Runnable wake) {
        this.visible = visible;
        this.catalog = catalog;
        this.notifier = notifier;
        this.wake = wake;
    }

    boolean retry(RunId id, String by) {
        RunMessages.requireNoTransaction("Retrying a run");
        boolean found = visible.retry(id);
        if (found) {
            logger.info("Run {} continues, because {} has retried it", id, LogText.of(by));
        }
        wake.run();
        return found;
    }

    boolean giveUp(RunId id, String by) {
        RunMessages.requireNoTransaction("Giving up a run");
        RunRow run = visible.findRow(id).orElseThrow(() -> new NoSuchRunException(id));
        String reason = "given up by %s".formatted(LogText.of(by));
        boolean isOrphaned = catalog.find(run.run()).isEmpty();
        if (!visible.giveUp(id, reason, isOrphaned)) {
            return false;
        }
        logger.warn("Run {} of '{}' was {}. Nothing was compensated", id, run.run(), reason);
        notifier.givenUp(run, reason);
        return true;
    }

    boolean resolve(RunId id, JournalEntry entry, String by) {
        RunMessages.requireNoTransaction("Resolving a step in doubt");
        boolean found = visible.resolve(id, entry);
        if (found) {
            logger.info(
                    "Step '{}' of run {} was resolved as {} by {}",
                    entry.step(),
                    id,
                    entry.mark() == JournalEntry.Mark.DONE ? "done" : "not done",
                    LogText.of(by));
        }
        wake.run();
        return found;
    }
}
