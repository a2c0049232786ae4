package io.sagaspring.actuate;

import io.sagaspring.due.DueWork;
import io.sagaspring.due.ParkedWork;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows due work that waits for a person, and has a piece of it tried again. Trying again is off unless {@code
 * management.endpoint.sagadue.access} is {@code unrestricted}.
 */
@Endpoint(id = "sagadue", defaultAccess = Access.READ_ONLY)
public final class DueEndpoint {

    private static final int LIMIT = 100;

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
     * @param limit how many at most, 100 when not given
     * @return the work
     */
    @ReadOperation
    public Parked parked(@Nullable Integer limit) {
        int most = limit == null ? LIMIT : Math.max(1, limit);
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
        return new Retry(due.retry(id));
    }
}
