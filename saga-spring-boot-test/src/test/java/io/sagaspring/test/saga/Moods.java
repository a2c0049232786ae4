package io.sagaspring.test.saga;

import java.util.HashMap;
import java.util.Map;

/** Makes a step fail as often as a test wants, or run an action of the test. */
class Moods {

    private final Map<String, Integer> failures = new HashMap<>();
    private final Map<String, Runnable> actions = new HashMap<>();

    void fails(String step, int times) {
        failures.put(step, times);
    }

    void does(String step, Runnable action) {
        actions.put(step, action);
    }

    void clear() {
        failures.clear();
        actions.clear();
    }

    void check(String step) {
        actions.getOrDefault(step, () -> {}).run();
        int left = failures.getOrDefault(step, 0);
        if (left > 0) {
            failures.put(step, left - 1);
            throw new IllegalStateException("%s is in a bad mood".formatted(step));
        }
    }
}
