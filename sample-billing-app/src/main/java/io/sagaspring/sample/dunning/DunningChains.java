package io.sagaspring.sample.dunning;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.lease.Acquisition;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseLostException;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.ErrorResponseException;

/**
 * The chains of this node. A loop is passed when all its stories are, and that alone decides: its lease is given up and not
 * completed, for a completed one could never be acquired again, and stories that come later would be lost. They are added
 * behind the others whenever a start names them, also while a chain is running, which then goes on with them; what is there
 * already stays as it is.
 */
@Component
class DunningChains {

    private static final Logger logger = LoggerFactory.getLogger(DunningChains.class);

    /** Most of the time they wait, and use a connection for moments. */
    private static final int AT_ONCE = 64;

    private static final int WAITING = 1000;

    private final LeaseManager leases;
    private final DunningChain chain;
    private final DunningLoops loops;
    private final TransactionTemplate transaction;
    private final Set<String> working = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor executor = new ThreadPoolExecutor(
            AT_ONCE,
            AT_ONCE,
            10,
            SECONDS,
            new LinkedBlockingQueue<>(WAITING),
            new CustomizableThreadFactory("dunning-"));

    DunningChains(LeaseManager leases, DunningChain chain, DunningLoops loops, TransactionTemplate transaction) {
        this.leases = leases;
        this.chain = chain;
        this.loops = loops;
        this.transaction = transaction;
        executor.allowCoreThreadTimeOut(true);
    }

    /** What became of a start; with a token if this call has started a chain. */
    record Start(String status, @Nullable FencingToken token) {

        private static final Start ALREADY_CLAIMED = new Start("already_claimed", null);
        private static final Start ALREADY_PASSED = new Start("already_passed", null);

        boolean isStarted() {
            return token != null;
        }
    }

    /** The loop is acquired before anything is written, so that no other node can start what this call is to start. */
    Start start(String loop, List<String> stories, Duration step) {
        if (loops.isPassed(loop, stories)) {
            return Start.ALREADY_PASSED;
        }
        Acquisition acquisition = leases.tryAcquire(nameOf(loop));
        if (acquisition instanceof Acquisition.Acquired acquired) {
            return startUnder(acquired.lease(), loop, stories, step);
        }
        if (acquisition instanceof Acquisition.AlreadyPassed) {
            return Start.ALREADY_PASSED;
        }
        transaction.executeWithoutResult(status -> loops.addOnly(loop, stories, step));
        return Start.ALREADY_CLAIMED;
    }

    private Start startUnder(Lease lease, String loop, List<String> stories, Duration step) {
        boolean handedOver = false;
        try {
            // Whoever had it before may have passed the last story since the first look.
            if (!chain.isLeftAfterAdding(lease, loop, stories, step)) {
                return Start.ALREADY_PASSED;
            }
            handedOver = handOver(lease, loop);
            if (!handedOver) {
                throw tooMuchToDo();
            }
            return new Start("started", lease.token());
        } finally {
            if (!handedOver) {
                lease.close();
            }
        }
    }

    /**
     * Goes on with what nobody works on: its node has died, or its chain has failed. One that fails again and again is tried
     * as often as this, and not more.
     */
    @Scheduled(initialDelayString = "${sample.dunning.poll:1s}", fixedDelayString = "${sample.dunning.poll:1s}")
    void goOn() {
        for (String loop : loops.unfinished()) {
            if (executor.isShutdown() || executor.getActiveCount() >= AT_ONCE) {
                return;
            }
            if (!working.contains(loop)
                    && leases.tryAcquire(nameOf(loop)) instanceof Acquisition.Acquired acquired
                    && !handOver(acquired.lease(), loop)) {
                acquired.lease().close();
            }
        }
    }

    private boolean handOver(Lease lease, String loop) {
        working.add(loop);
        try {
            executor.execute(new Chain(lease, loop));
            return true;
        } catch (RejectedExecutionException fullOrClosing) {
            working.remove(loop);
            return false;
        }
    }

    /** Before the pools are closed: every lease is given up, so that another node goes on at once. */
    @PreDestroy
    void stop() throws InterruptedException {
        for (Runnable waiting : executor.shutdownNow()) {
            ((Chain) waiting).lease.close();
        }
        if (!executor.awaitTermination(10, SECONDS)) {
            logger.warn("Chains are still at work: {}. Their leases run out", working);
        }
    }

    private final class Chain implements Runnable {

        private final Lease lease;
        private final String loop;

        Chain(Lease lease, String loop) {
            this.lease = lease;
            this.loop = loop;
        }

        @Override
        public void run() {
            try {
                chain.goThrough(lease, loop);
                logger.info("The chain of loop '{}' is through, under token {}", loop, lease.token());
            } catch (InterruptedException closing) {
                logger.info("The chain of loop '{}' stops, for this node closes; another one goes on", loop);
            } catch (LeaseLostException | StoryRefusedException stopped) {
                logger.warn("The chain of loop '{}' stops; whoever holds it now goes on", loop, stopped);
            } catch (Exception failed) {
                logger.warn("The chain of loop '{}' failed; some node will go on with it", loop, failed);
            } finally {
                // Interrupted by stop() while it was in the database, it could not get a connection to give the lease
                // up.
                if (Thread.interrupted()) {
                    logger.debug("The chain of loop '{}' was interrupted", loop);
                }
                lease.close();
                working.remove(loop);
            }
        }
    }

    private static LeaseName nameOf(String loop) {
        return LeaseName.of("dunning", loop);
    }

    private static ErrorResponseException tooMuchToDo() {
        HttpStatus status = HttpStatus.SERVICE_UNAVAILABLE;
        String detail = "This node has too much to do. The stories are noted, and some node will go on with them.";
        return new ErrorResponseException(status, ProblemDetail.forStatusAndDetail(status, detail), null);
    }
}
