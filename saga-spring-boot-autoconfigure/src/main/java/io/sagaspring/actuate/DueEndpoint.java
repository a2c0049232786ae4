package io.sagaspring.actuate;

import io.sagaspring.due.DueWork;
import io.sagaspring.due.ParkedWork;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows due work that waits for a person, has a piece of it tried again, or gives it up. Both are off unless {@code
 * management.endpoint.sagadue.access} is {@code unrestricted}.
 */
@Endpoint(id = "sagadue", defaultAccess = Access.READ_ONLY)
public final class DueEndpoint {

    private static final int LIMIT = 100;
    private static final int MOST = 1_000;

    static final String OPERATOR = "an operator";

    private final DueWork due;

    /**
     * An endpoint over this work.
     *
     * @param due knows what is parked
     */
    public DueEndpoint(DueWork due) {
        this.due = due;
    }

    /**
     * What waits for a person.
     *
     * @param parked longest parked first
     * @param more whether there are others
     */
    public record Parked(List<ParkedWork> parked, boolean more) {}

    /**
     * What waits for a person, longest first.
     *
     * @param limit how many at most, 100 when not given, and no more than 1,000
     * @return the work
     */
    @ReadOperation
    public Parked parked(@Nullable Integer limit) {
        int most = limit == null ? LIMIT : Math.min(MOST, Math.max(1, limit));
        List<ParkedWork> parked = due.parked(most + 1);
        return new Parked(parked.stream().limit(most).toList(), parked.size() > most);
    }

    /**
     * What became of a retry. A bare boolean could not be told over JMX.
     *
     * @param due whether the work was parked, and is due again
     */
    public record Retry(boolean due) {}

    /**
     * Has one piece tried again, with all its attempts.
     *
     * @param id which one, as the list shows it
     * @return what became of it
     */
    @WriteOperation
    public Retry retry(@Selector long id) {
        return retry(id, OPERATOR);
    }

    Retry retry(long id, String by) {
        return new Retry(due.retry(id, by));
    }

    /**
     * What became of work that was to be given up.
     *
     * @param removed whether the work was parked, and is removed
     */
    public record GivenUp(boolean removed) {}

    /**
     * Gives up one piece of parked work: it is removed, and never done.
     *
     * @param id which one, as the list shows it
     * @return what became of it
     */
    @DeleteOperation
    public GivenUp giveUp(@Selector long id) {
        return giveUp(id, OPERATOR);
    }

    GivenUp giveUp(long id, String by) {
        return new GivenUp(due.giveUp(id, by).isPresent());
    }
}
