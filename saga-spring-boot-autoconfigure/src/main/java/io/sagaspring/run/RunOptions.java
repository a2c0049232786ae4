package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import io.sagaspring.run.StartKey.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options for starting a run. Options do not change: each method returns new ones.
 *
 * <pre>{@code
 * runs.start(OpenAccount.class, customer, RunOptions.withKey("open:" + customer.id()).andWithin(Duration.ofDays(1)));
 * }</pre>
 *
 * @since 0.1.0
 */
public final class RunOptions {

    static final RunOptions NONE = new RunOptions(null, null, null, null, Map.of());

    private final @Nullable StartKey key;
    private final @Nullable Duration deadline;
    private final @Nullable StartTime startTime;
    private final @Nullable QueuePlace place;
    private final Map<String, String> labels;

    private RunOptions(
            @Nullable StartKey key,
            @Nullable Duration deadline,
            @Nullable StartTime startTime,
            @Nullable QueuePlace place,
            Map<String, String> labels) {
        this.key = key;
        this.deadline = deadline;
        this.startTime = startTime;
        this.place = place;
        this.labels = labels;
    }

    /**
     * Returns options that set nothing.
     *
     * @return the options of a run without a key and without a deadline
     */
    public static RunOptions none() {
        return NONE;
    }

    /**
     * Sets a key. Until the run is removed after its end, starting a run of the same class with this key returns the
     * existing run.
     *
     * @param key the key, such as {@code "open:" + customer.id()}
     * @return the options with this key
     * @throws InvalidNameException if the key is blank or too long, or contains a character that cannot be stored
     */
    public static RunOptions withKey(String key) {
        return NONE.andKey(key);
    }

    /**
     * Sets a deadline.
     *
     * @param deadline the time limit of the run from its start; the run is stopped when this time has passed
     * @return the options with this deadline
     * @throws IllegalArgumentException if the deadline is not positive
     */
    public static RunOptions within(Duration deadline) {
        return NONE.andWithin(deadline);
    }

    /**
     * Lets the run begin later.
     *
     * @param delay the time after which the run begins
     * @return options with this delay
     * @throws IllegalArgumentException if the delay is negative
     */
    public static RunOptions after(Duration delay) {
        return NONE.andAfter(delay);
    }

    /**
     * Lets the run begin at a time. The database clock decides when that time has come.
     *
     * @param time the time at which the run begins; if it has passed, the run begins immediately
     * @return options with this time
     * @throws IllegalArgumentException if the time cannot be stored
     */
    public static RunOptions at(Instant time) {
        return NONE.andAt(time);
    }

    /**
     * Labels the run. {@link RunQuery#withLabel} finds it.
     *
     * @param name the name of the label, such as {@code "customer"}
     * @param value the value of the label
     * @return options with this label
     * @throws InvalidNameException if the name or the value is not allowed
     */
    public static RunOptions label(String name, String value) {
        return NONE.andLabel(name, value);
    }

    /**
     * Adds a key to these options, or replaces the text of their key.
     *
     * @param key a key that identifies at most one run of a class, until that run is removed after its end; see {@link #whileOpen}
     * @return these options with the key
     * @throws NullPointerException if the key is null
     * @throws InvalidNameException if the key is blank or too long, or contains a character that cannot be stored
     */
    public RunOptions andKey(String key) {
        Objects.requireNonNull(key, "The key of a run must not be null. Pass a key, or start the run without one.");
        StartKey before = this.key;
        StartKey.Kind kind = before == null ? StartKey.Kind.UNTIL_REMOVED : before.kind();
        return new RunOptions(new StartKey(key, kind), deadline, startTime, place, labels);
    }

    /**
     * Frees the key as soon as the run has ended. Until then, a start with the same key returns this run. A run that waits for a person
     * has not ended. The key is not the same as a key with the same text without this option.
     *
     * @return these options, with a key that is free again when the run has ended
     * @throws IllegalArgumentException if no key is set
     */
    public RunOptions whileOpen() {
        return new RunOptions(requireKey("whileOpen()", Kind.WHILE_OPEN), deadline, startTime, place, labels);
    }

    /**
     * Lets later starts with the key replace the input of the run, as long as the run has not begun. If it has begun, a start creates
     * another run, which begins when the first one has ended. So of any number of starts, the input of the latest is executed. The run
     * needs a queue: see {@link #in}.
     *
     * @return these options, with a key that later starts can use again when the run has begun
     * @throws IllegalArgumentException if no key is set, or {@link #whileOpen} was called
     */
    public RunOptions orReplace() {
        return new RunOptions(requireKey("orReplace()", Kind.UNTIL_BEGUN), deadline, startTime, place, labels);
    }

    /**
     * Lets the run begin when no start with its key has come for a while. Each start replaces the input, as with
     * {@link #orReplace}, and postpones the run. The run needs a queue: see {@link #in}.
     *
     * @param quiet the time without a start after which the run begins
     * @param atMost the longest time between the first start and the beginning of the run, however many starts there are
     * @return these options, with a key that later starts can use again when the run has begun
     * @throws IllegalArgumentException if the first time is not positive or is longer than the second, no key is set,
     *     {@link #whileOpen} was called, or a delay or a time is set
     */
    public RunOptions quietFor(Duration quiet, Duration atMost) {
        requireNoTime(startTime != null && !isPostponed());
        StartTime postponed = StartTime.quietFor(quiet, atMost);
        return new RunOptions(requireKey("quietFor(…)", Kind.UNTIL_BEGUN), deadline, postponed, place, labels);
    }

    private StartKey requireKey(String option, Kind kind) {
        if (key == null) {
            throw new IllegalArgumentException(
                    "%s has no effect without a key. Call withKey(\"…\") or andKey(\"…\") before it."
                            .formatted(option));
        }
        if (key.kind() != Kind.UNTIL_REMOVED && key.kind() != kind) {
            throw new IllegalArgumentException(
                    "The key '%s' cannot both be free when its run begins and stay taken until the run has ended. Call either whileOpen() or %s."
                            .formatted(key.text(), kind == Kind.WHILE_OPEN ? "orReplace()" : option));
        }
        return key.as(kind);
    }

    private static void requireNoTime(boolean isSet) {
        if (isSet) {
            throw new IllegalArgumentException(
                    "quietFor(…) decides when the run begins, and so do after(…) and at(…). Call only one of them.");
        }
    }

    /**
     * Adds a deadline to these options. If you also set a delay or a time, the deadline counts from the time at which
     * the run begins.
     *
     * @param deadline the time limit of the run from its start; the run is stopped when this time has passed
     * @return these options with the deadline
     * @throws IllegalArgumentException if the deadline is not positive
     */
    public RunOptions andWithin(Duration deadline) {
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException(
                    "The deadline of a run must be positive, but is %s.".formatted(DurationText.of(deadline)));
        }
        return new RunOptions(key, deadline, startTime, place, labels);
    }

    /**
     * Adds a delay to these options. It replaces a delay or time that was set before.
     *
     * @param delay the time after which the run begins
     * @return these options with the delay
     * @throws IllegalArgumentException if the delay is negative, or {@link #quietFor} was called
     */
    public RunOptions andAfter(Duration delay) {
        requireNoTime(isPostponed());
        return new RunOptions(key, deadline, StartTime.after(delay), place, labels);
    }

    /**
     * Adds a time to these options. It replaces a delay or time that was set before.
     *
     * @param time the time at which the run begins; if it has passed, the run begins immediately
     * @return these options with the time
     * @throws IllegalArgumentException if the time cannot be stored, or {@link #quietFor} was called
     */
    public RunOptions andAt(Instant time) {
        requireNoTime(isPostponed());
        return new RunOptions(key, deadline, StartTime.at(time), place, labels);
    }

    private boolean isPostponed() {
        return startTime != null && startTime.atMost() != null;
    }

    /**
     * Puts the run in a queue. The run begins when the queue's limits allow it. A run with a delay or a start time
     * joins the queue at that time.
     *
     * @param queue the name of a queue that the application declares
     * @return these options with the queue
     */
    public RunOptions in(String queue) {
        return new RunOptions(key, deadline, startTime, QueuePlace.in(queue), labels);
    }

    /**
     * Sets the key within the queue, such as a tenant. Runs with the same key and priority begin in the order of their
     * starts. The keys take turns.
     *
     * @param queueKey the key
     * @return these options with the key within the queue
     * @throws InvalidNameException if the key is blank or too long, or contains a character that is not allowed
     * @throws IllegalArgumentException if no queue is set
     */
    public RunOptions of(String queueKey) {
        return new RunOptions(key, deadline, startTime, requirePlace("of").withKey(queueKey), labels);
    }

    /**
     * Sets the priority among the runs with the same key within the queue.
     *
     * @param priority a number from -100 to 100; runs with larger numbers begin earlier; the default is 0
     * @return these options with the priority
     * @throws IllegalArgumentException if no queue is set, or the priority is out of range
     */
    public RunOptions urgent(int priority) {
        return new RunOptions(key, deadline, startTime, requirePlace("urgent").withPriority(priority), labels);
    }

    private QueuePlace requirePlace(String option) {
        if (place == null) {
            throw new IllegalArgumentException(
                    "%s(…) has no effect without a queue. Call in(\"…\") before it.".formatted(option));
        }
        return place;
    }

    /**
     * Adds a label to these options. It replaces an earlier label of that name. If a run with the same key already
     * exists, that run keeps its own labels.
     *
     * @param name the name of the label: a letter, followed by at most 99 letters, digits, dots, hyphens or underscores
     * @param value the value of the label, of at most {@value Labels#LONGEST_VALUE} characters; anyone who may list runs can see it
     * @return these options with the label
     * @throws InvalidNameException if the name or the value is not allowed, or there are more than {@value Labels#MOST} labels
     */
    public RunOptions andLabel(String name, String value) {
        return new RunOptions(key, deadline, startTime, place, Labels.with(labels, name, value));
    }

    /**
     * Returns the key.
     *
     * @return the text of the key, or null for none
     */
    public @Nullable String key() {
        return key == null ? null : key.text();
    }

    @Nullable
    StartKey startKey() {
        return key;
    }

    /**
     * Returns the deadline.
     *
     * @return the time limit of the run from its start, or null for none
     */
    public @Nullable Duration deadline() {
        return deadline;
    }

    /**
     * Returns the time at which the run begins.
     *
     * @return the time, or null if the run begins immediately
     */
    public @Nullable StartTime startTime() {
        return startTime;
    }

    /**
     * Returns the labels.
     *
     * @return the value of each label, by its name
     */
    public Map<String, String> labels() {
        return labels;
    }

    /**
     * Returns the place in a queue.
     *
     * @return the place, or null if the run belongs to no queue
     */
    public @Nullable QueuePlace place() {
        return place;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunOptions that
                && Objects.equals(key, that.key)
                && Objects.equals(deadline, that.deadline)
                && Objects.equals(startTime, that.startTime)
                && Objects.equals(place, that.place)
                && labels.equals(that.labels);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, deadline, startTime, place, labels);
    }

    @Override
    public String toString() {
        return "RunOptions[key=%s, deadline=%s, startTime=%s, place=%s, labels=%s]"
                .formatted(key, deadline, startTime, place, labels);
    }
}
