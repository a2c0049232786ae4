package io.sagaspring.actuate;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.ElapsedClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries the database on a thread of its own, which ends with the query. A caller therefore waits only as long as it
 * chooses. There is only one query at a time, no matter how many callers there are and how slow the database is. The
 * query does not use the {@link io.sagaspring.fence.Jobs}, which have only two threads. If both threads hung in other
 * jobs, health would report that the database does not answer, although it does.
 *
 * @param <F> the type of the facts that the query returns
 * @since 0.1.0
 */
public final class Survey<F> {

    private static final Logger logger = LoggerFactory.getLogger(Survey.class);
    private static final Duration OLD = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Supplier<F> query;
    private final ElapsedClock ticks;
    private final Duration old;
    private final AtomicReference<@Nullable CompletableFuture<F>> underWay = new AtomicReference<>();
    private volatile @Nullable F latest;
    private volatile @Nullable Duration asked;

    /**
     * Creates a survey that has no facts yet.
     *
     * @param query the query on the database
     * @param ticks the clock that measures elapsed time on this node
     */
    public Survey(Supplier<F> query, ElapsedClock ticks) {
        this(query, ticks, OLD);
    }

    /**
     * Creates a survey that has no facts yet.
     *
     * @param query the query on the database
     * @param ticks the clock that measures elapsed time on this node
     * @param old the time after which the known facts are queried again
     */
    public Survey(Supplier<F> query, ElapsedClock ticks, Duration old) {
        this.query = query;
        this.ticks = ticks;
        this.old = old;
    }

    /**
     * Returns the latest known facts without waiting. If they are old, starts a query for later calls.
     *
     * @return the facts, or null if no query has ended yet
     */
    public @Nullable F latest() {
        F known = latest;
        Duration before = asked;
        if (before == null || ticks.now().minus(before).compareTo(old) > 0) {
            CompletableFuture<F> unused = ask();
        }
        return known;
    }

    /** Queries the database and passes on the facts. Adds a problem if the query fails or takes more than 2 s. */
    void report(List<String> problems, Consumer<F> shown) {
        try {
            shown.accept(ask().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException silent) {
            problems.add("The database did not answer within %s.".formatted(DurationText.of(PATIENCE)));
        } catch (ExecutionException failed) {
            problems.add("The database could not be queried: %s".formatted(failed.getCause()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            problems.add("The database could not be queried: this thread was interrupted.");
        }
    }

    private CompletableFuture<F> ask() {
        CompletableFuture<F> answer = new CompletableFuture<>();
        CompletableFuture<F> other = underWay.compareAndExchange(null, answer);
        if (other != null) {
            return other;
        }
        asked = ticks.now();
        try {
            Thread thread = new Thread(() -> answer(answer), "saga-survey");
            thread.setDaemon(true);
            thread.start();
        } catch (Throwable noThread) {
            underWay.set(null);
            answer.completeExceptionally(noThread);
        }
        return answer;
    }

    private void answer(CompletableFuture<F> answer) {
        try {
            F facts = query.get();
            latest = facts;
            underWay.set(null);
            answer.complete(facts);
        } catch (Throwable failed) {
            underWay.set(null);
            answer.completeExceptionally(failed);
            logger.debug("Could not query the database for health and metrics", failed);
        }
    }
}
