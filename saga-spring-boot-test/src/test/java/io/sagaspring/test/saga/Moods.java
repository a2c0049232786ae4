package io.sagaspring.test.saga;

import java.util.HashMap;
import java.util.Map;

/** What fails, and how often, as a test wants it. */
class Moods {

    private final Map<String, Integer> failing = new HashMap<>();
    private final Map<String, Runnable> doing = new HashMap<>();

    void fails(String step, int times) {
        failing.put(step, times);
    }

    void does(String step, Runnable what) {
        doing.put(step, what);
    }

    void clear() {
        failing.clear();
        doing.clear();
    }

    void check(String step) {
        doing.getOrDefault(step, () -> {}).run();
        int left = failing.getOrDefault(step, 0);
        if (left > 0) {
            failing.put(step, left - 1);
            throw new IllegalStateException("%s is in a bad mood".formatted(step));
        }
    }
}
