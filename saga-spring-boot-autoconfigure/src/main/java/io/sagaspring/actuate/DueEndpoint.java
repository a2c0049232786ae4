package io.sagaspring.actuate;

import io.sagaspring.due.DueWork;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows due work that waits for a person or for a handler, has a piece of it tried again, or gives it up. Both are off unless {@code
 * management.endpoint.sagadue.access} is {@code unrestricted}.
 */
@Endpoint(id = "sagadue", defaultAccess = Access.READ_ONLY)
final class DueEndpoint {

    private static final int LIMIT = 100;
    private static final int MOST = 1_000;

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
     * @param parked work of which every attempt failed, longest parked first
     * @param more whether more work is parked
     * @param unhandled work that is due and has no handler on this node, longest due first
     * @param moreUnhandled whether there is more of that
     */
    public record Parked(
            List<DueWork.Parked> parked, boolean more, List<DueWork.Unhandled> unhandled, boolean moreUnhandled) {}

    /**
     * What waits for a person, longest first.
     *
     * @param limit how many of each at most, 100 when not given, and no more than 1,000
     * @return the work
     */
    @ReadOperation
    public Parked parked(@Nullable Integer limit) {
        int most = limit == null ? LIMIT : Math.min(MOST, Math.max(1, limit));
        List<DueWork.Parked> parked = due.parked(most + 1);
        List<DueWork.Unhandled> unhandled = due.unhandled(most + 1);
        return new Parked(
                parked.stream().limit(most).toList(),
                parked.size() > most,
                unhandled.stream().limit(most).toList(),
                unhandled.size() > most);
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
        return retry(id, Operator.UNKNOWN);
    }

    Retry retry(long id, String by) {
        return new Retry(due.retry(id, by));
    }

    /**
     * The answer to a request to give up work.
     *
     * @param removed whether the work was parked or had no handler, and is removed
     */
    public record GivenUp(boolean removed) {}

    /**
     * Gives up one piece of work that is parked or has no handler: it is removed, and never done.
     *
     * @param id which one, as the list shows it
     * @return what became of it
     */
    @DeleteOperation
    public GivenUp giveUp(@Selector long id) {
        return giveUp(id, Operator.UNKNOWN);
    }

    GivenUp giveUp(long id, String by) {
        return new GivenUp(due.giveUp(id, by).isPresent());
    }
}
