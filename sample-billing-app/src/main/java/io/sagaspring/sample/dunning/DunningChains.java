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
 * Runs the chains of this node. Each chain processes one loop, an ordered list of dunning letters (stories). A loop has
 * passed when all its letters have passed. When the chain of a loop ends, the loop's lease is released and not
 * completed. A completed lease can never be acquired again, so letters that are added later would not be sent. Every
 * start appends the new letters to the loop, and a chain that is already running continues with them. Existing letters
 * are not changed.
 */
@Component
class DunningChains {

    private static final Logger logger = LoggerFactory.getLogger(DunningChains.class);

    /**
     * There can be more threads than connections, because a chain waits most of the time and uses a connection only
     * briefly.
     */
    private static final int THREADS = 64;

    private static final int QUEUE_CAPACITY = 1000;

    private final LeaseManager leases;
    private final DunningChain chain;
    private final DunningLoops loops;
    private final TransactionTemplate transaction;
    private final Set<String> working = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor executor = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            SECONDS,
            new LinkedBlockingQueue<>(QUEUE_CAPACITY),
            new CustomizableThreadFactory("dunning-"));

    DunningChains(LeaseManager leases, DunningChain chain, DunningLoops loops, TransactionTemplate transaction) {
        this.leases = leases;
        this.chain = chain;
        this.loops = loops;
        this.transaction = transaction;
        executor.allowCoreThreadTimeOut(true);
    }

    /** The result of a start, with a token if this call has started a chain. */
    record Start(String status, @Nullable FencingToken token) {

        private static final Start ALREADY_CLAIMED = new Start("already_claimed", null);
        private static final Start ALREADY_PASSED = new Start("already_passed", null);

        boolean isStarted() {
            return token != null;
        }
    }

    /**
     * Starts a chain, under the lease on its loop. If another caller holds the lease, this method only adds the
     * letters. The chain of that caller continues with them.
     */
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
            // The previous owner may have marked the last letter as passed since the first check.
            if (!chain.isLeftAfterAdding(lease, loop, stories, step)) {
                return Start.ALREADY_PASSED;
            }
            handedOver = handOver(lease, loop);
            if (!handedOver) {
                throw overloaded();
            }
            return new Start("started", lease.token());
        } finally {
            if (!handedOver) {
                lease.close();
            }
        }
    }

    /**
     * Continues the loops that have no chain, for example because their node has died or their chain has failed. A
     * chain that fails repeatedly is retried every {@code sample.dunning.poll}.
     */
    @Scheduled(initialDelayString = "${sample.dunning.poll:1s}", fixedDelayString = "${sample.dunning.poll:1s}")
    void continueUnfinished() {
        for (String loop : loops.unfinished()) {
            if (executor.isShutdown() || executor.getActiveCount() >= THREADS) {
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

    /**
     * Stops the chains and releases their leases before the connection pools are closed, so that another node continues
     * at once. A chain that does not stop within 10 s does not release its lease in time.
     */
    @PreDestroy
    void stop() throws InterruptedException {
        for (Runnable waiting : executor.shutdownNow()) {
            ((Chain) waiting).lease.close();
        }
        if (!executor.awaitTermination(10, SECONDS)) {
            logger.warn(
                    "Dunning chains are still executing after 10 s: {}. Their leases will expire, and other nodes will continue the chains",
                    working);
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
                logger.info("The dunning chain '{}' has ended, under token {}", loop, lease.token());
            } catch (InterruptedException closing) {
                logger.info(
                        "The dunning chain '{}' stops because this node shuts down. Another node continues it", loop);
            } catch (LeaseLostException | StoryRefusedException stopped) {
                logger.warn(
                        "The dunning chain '{}' has lost its lease and stops. The new owner continues it",
                        loop,
                        stopped);
            } catch (Exception failed) {
                logger.warn("The dunning chain '{}' failed. A node will continue it", loop, failed);
            } finally {
                // Clear the interrupt flag. Otherwise the thread could not get a connection to release the lease.
                if (Thread.interrupted()) {
                    logger.debug("The dunning chain '{}' was interrupted", loop);
                }
                lease.close();
                working.remove(loop);
            }
        }
    }

    private static LeaseName nameOf(String loop) {
        return LeaseName.of("dunning", loop);
    }

    private static ErrorResponseException overloaded() {
        HttpStatus status = HttpStatus.SERVICE_UNAVAILABLE;
        String detail = "This node is overloaded. The letters are stored, and a node will send them later.";
        return new ErrorResponseException(status, ProblemDetail.forStatusAndDetail(status, detail), null);
    }
}
