package io.sagaspring.run;

import java.util.Objects;

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

    static final int LONGEST_KEY = 500;
    static final int MOST_URGENT = 100;

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
            TextRules.requireName("The key of a run within its queue", key, LONGEST_KEY);
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
}
