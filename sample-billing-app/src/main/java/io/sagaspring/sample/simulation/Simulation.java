package io.sagaspring.sample.simulation;

import io.sagaspring.workflow.ActionResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The behaviour that the header {@code X-Simulate} requests.
 *
 * @param delay the time for which the action continues after its writes
 * @param end the way in which the action ends
 */
record Simulation(Duration delay, End end) {

    static final Simulation NONE = new Simulation(Duration.ZERO, End.AS_IT_IS);

    private static final Pattern DELAY = Pattern.compile("delay=(\\d{1,9})");

    enum End {
        AS_IT_IS(""),
        INVALID("invalid"),
        FAIL("fail"),
        THROW("throw");

        private final String word;

        End(String word) {
            this.word = word;
        }
    }

    /**
     * Parses a comma-separated list of delays and at most one of {@code invalid}, {@code fail} and {@code throw}.
     * Throws an exception for any other text.
     */
    static Simulation parse(String header) {
        Simulation read = NONE;
        for (String word : header.split(",", -1)) {
            read = read.and(word.strip());
        }
        return read;
    }

    private Simulation and(String word) {
        var millis = DELAY.matcher(word);
        if (millis.matches()) {
            return new Simulation(delay.plusMillis(Long.parseLong(millis.group(1))), end);
        }
        List<End> named = Arrays.stream(End.values())
                .filter(each -> !word.isEmpty() && each.word.equals(word))
                .toList();
        if (named.isEmpty() || end != End.AS_IT_IS) {
            throw new IllegalArgumentException(
                    "X-Simulate must be a comma-separated list of delay=MILLIS and at most one of invalid, fail and throw. It contains '%s'."
                            .formatted(word));
        }
        return new Simulation(delay, named.get(0));
    }

    ActionResult after(ActionResult result) throws InterruptedException {
        Thread.sleep(delay.toMillis());
        return switch (end) {
            case AS_IT_IS -> result;
            case INVALID -> ActionResult.invalid("Simulated: the action rejects its input.");
            case FAIL -> ActionResult.failure("Simulated: the action could not do its work.");
            case THROW -> throw new IllegalStateException("Simulated: the action throws.");
        };
    }
}
