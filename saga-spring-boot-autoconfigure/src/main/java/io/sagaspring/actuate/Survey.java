package io.sagaspring.actuate;

import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.fence.Ticks;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the database how claims stand, on a thread that lives only as long as the question: whoever wants to know waits no
 * longer than it likes. However many ask, and however long the database takes, there is one question at a time.
 */
public final class Survey {

    private static final Logger logger = LoggerFactory.getLogger(Survey.class);
    private static final Duration OLD = Duration.ofMinutes(1);

    private final Supplier<Facts> question;
    private final Ticks ticks;
    private final AtomicReference<@Nullable CompletableFuture<Facts>> underWay = new AtomicReference<>();
    private volatile @Nullable Facts latest;
    private volatile @Nullable Duration asked;

    /**
     * A survey that has asked nothing yet.
     *
     * @param question asks the database
     * @param ticks measures what passes on this node
     */
    public Survey(Supplier<Facts> question, Ticks ticks) {
        this.question = question;
        this.ticks = ticks;
    }

    /**
     * How claims stood when the database was asked.
     *
     * @param oldest the claim that has lasted longest, if there is any
     * @param stuck how many claims are past their window, by module
     * @param parked how much due work waits for a person
     */
    public record Facts(@Nullable ClaimedRow oldest, Map<String, Integer> stuck, int parked) {}

    /** What was last known, without waiting for more; if that is old, the question is asked for whoever comes next. */
    @Nullable
    Facts latest() {
        Facts known = latest;
        Duration before = asked;
        if (before == null || ticks.now().minus(before).compareTo(OLD) > 0) {
            CompletableFuture<Facts> unused = ask();
        }
        return known;
    }

    /** What the database says now. */
    Facts within(Duration patience) throws TimeoutException, ExecutionException, InterruptedException {
        return ask().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private CompletableFuture<Facts> ask() {
        CompletableFuture<Facts> answer = new CompletableFuture<>();
        CompletableFuture<Facts> other = underWay.compareAndExchange(null, answer);
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

    private void answer(CompletableFuture<Facts> answer) {
        try {
            Facts facts = question.get();
            latest = facts;
            underWay.set(null);
            answer.complete(facts);
        } catch (Throwable failed) {
            logger.debug("Could not ask the database how claims stand", failed);
            underWay.set(null);
            answer.completeExceptionally(failed);
        }
    }
}
