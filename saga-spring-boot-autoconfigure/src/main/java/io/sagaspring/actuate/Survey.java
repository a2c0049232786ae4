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
 * Asks the database how things stand, on a thread that lives only as long as the question: whoever wants to know waits no
 * longer than it likes. However many ask, and however long the database takes, there is one question at a time. It is none of
 * the {@link io.sagaspring.fence.Jobs}: behind two of those that hang, health would report a database that does answer.
 *
 * @param <F> what it says
 */
final class Survey<F> {

    private static final Logger logger = LoggerFactory.getLogger(Survey.class);
    private static final Duration OLD = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Supplier<F> question;
    private final ElapsedClock ticks;
    private final AtomicReference<@Nullable CompletableFuture<F>> underWay = new AtomicReference<>();
    private volatile @Nullable F latest;
    private volatile @Nullable Duration asked;

    /**
     * A survey that has asked nothing yet.
     *
     * @param question asks the database
     * @param ticks measures what passes on this node
     */
    public Survey(Supplier<F> question, ElapsedClock ticks) {
        this.question = question;
        this.ticks = ticks;
    }

    /** What was last known, without waiting for more; if that is old, the question is asked for whoever comes next. */
    @Nullable
    F latest() {
        F known = latest;
        Duration before = asked;
        if (before == null || ticks.now().minus(before).compareTo(OLD) > 0) {
            CompletableFuture<F> unused = ask();
        }
        return known;
    }

    /** Shows what the database says now; if it does not say it soon, that is a problem. */
    void look(List<String> problems, Consumer<F> shown) {
        try {
            shown.accept(ask().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException silent) {
            problems.add("The database did not answer within %s.".formatted(DurationText.of(PATIENCE)));
        } catch (ExecutionException failed) {
            problems.add("The database could not be asked: %s".formatted(failed.getCause()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            problems.add("The database was not asked: this thread was interrupted.");
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
            F facts = question.get();
            latest = facts;
            underWay.set(null);
            answer.complete(facts);
        } catch (Throwable failed) {
            underWay.set(null);
            answer.completeExceptionally(failed);
            logger.debug("Could not ask the database how things stand", failed);
        }
    }
}
