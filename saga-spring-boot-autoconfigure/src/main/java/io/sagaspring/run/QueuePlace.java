package io.sagaspring.run;

import io.sagaspring.tenant.Tenants;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The place of a run in a queue.
 *
 * @param queue the name of the queue
 * @param key the key, whose runs begin in the order of their starts; empty for none
 * @param priority the priority within the key; runs with a larger number begin earlier
 * @since 0.1.0
 */
public record QueuePlace(String queue, String key, int priority) {

    /** The prefix of the lanes of queues. No name of code begins with it. */
    public static final String LANE = "queue:";

    /** The first character of a key that contains a tenant. The application cannot choose such a key. */
    private static final String RESERVED = "\u0001";

    /** Separates a tenant from a key. No tenant contains it. */
    private static final char SEPARATOR = '\u001F';

    private static final int LONGEST_KEY = 500;
    private static final int LONGEST_WITH_TENANT = LONGEST_KEY + Tenants.LONGEST + 2;
    private static final int MOST_URGENT = 100;

    /**
     * Checks the key and the priority.
     *
     * @param queue the name of the queue
     * @param key the key, or empty for none
     * @param priority the priority within the key; runs with a larger number begin earlier
     * @throws InvalidNameException if the key is too long, or contains a character that cannot be stored
     * @throws IllegalArgumentException if the priority is not between -100 and 100
     */
    public QueuePlace {
        Objects.requireNonNull(queue, "queue");
        if (!key.isEmpty()) {
            TextRules.requireName(
                    "The key of a run within its queue",
                    key,
                    key.startsWith(RESERVED) ? LONGEST_WITH_TENANT : LONGEST_KEY);
        }
        if (priority < -MOST_URGENT || priority > MOST_URGENT) {
            throw new IllegalArgumentException(
                    "The priority %d is out of range. Use a number from -%d to %d; of the runs with the same key, those with larger numbers begin earlier."
                            .formatted(priority, MOST_URGENT, MOST_URGENT));
        }
    }

    /**
     * Places a run in a queue, without a key.
     *
     * @param queue the name of the queue
     * @return the place
     */
    public static QueuePlace in(String queue) {
        return new QueuePlace(queue, "", 0);
    }

    QueuePlace withKey(String chosen) {
        if (chosen.startsWith(RESERVED)) {
            throw new InvalidNameException(
                    "The key of a run within its queue begins with the control character 1, which is reserved. Begin the key with another character.");
        }
        return new QueuePlace(queue, chosen, priority);
    }

    /**
     * Returns the place of a run whose key is also its key in the queue. Equal keys of two tenants are two keys in the queue. The key of a
     * run without a tenant stays as it is.
     */
    QueuePlace withKeyOfRun(String keyOfRun, @Nullable String tenant) {
        return new QueuePlace(queue, tenant == null ? keyOfRun : RESERVED + tenant + SEPARATOR + keyOfRun, priority);
    }

    QueuePlace withPriority(int chosen) {
        return new QueuePlace(queue, key, chosen);
    }
}
