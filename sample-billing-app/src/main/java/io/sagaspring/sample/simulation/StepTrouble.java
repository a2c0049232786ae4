package io.sagaspring.sample.simulation;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The trouble that a client has requested for a step: a delay, or failures.
 *
 * @param delay the additional time that the step takes
 * @param failures the number of attempts that fail
 */
public record StepTrouble(Duration delay, int failures) {

    /** No trouble. */
    public static final StepTrouble NONE = new StepTrouble(Duration.ZERO, 0);

    private static final Pattern FAIL = Pattern.compile("fail:(always|\\d{1,9})");
    private static final Pattern DELAY = Pattern.compile("delay:(\\d{1,9})");

    /**
     * Parses {@code fail:N}, {@code fail:always} or {@code delay:MILLIS}.
     *
     * @param text the text of the client
     * @return the trouble, or empty if the text has no meaning
     */
    public static Optional<StepTrouble> parse(String text) {
        Matcher delay = DELAY.matcher(text);
        if (delay.matches()) {
            return Optional.of(new StepTrouble(Duration.ofMillis(Long.parseLong(delay.group(1))), 0));
        }
        Matcher fail = FAIL.matcher(text);
        if (!fail.matches()) {
            return Optional.empty();
        }
        return Optional.of(new StepTrouble(
                Duration.ZERO, fail.group(1).equals("always") ? Integer.MAX_VALUE : Integer.parseInt(fail.group(1))));
    }

    /**
     * Returns true if some attempts fail.
     *
     * @return true if at least the first attempt fails
     */
    public boolean fails() {
        return failures > 0;
    }

    /**
     * Waits, or throws an exception, as requested.
     *
     * @param step the name of the step
     * @param attempt the number of the attempt, starting at 1
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void occur(String step, int attempt) throws InterruptedException {
        Thread.sleep(delay.toMillis());
        if (attempt <= failures) {
            throw new TroubleException("Attempt %d of %s failed as requested.".formatted(attempt, step));
        }
    }
}
