package io.sagaspring.quiet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The errors that were logged during a test class, by any thread. */
final class LoggedErrors {

    private record LoggedError(String test, String text) {}

    private final List<LoggedError> errors = new ArrayList<>();
    private String test = "before the first test";
    private int before;

    synchronized void begin(String next) {
        test = next;
        before = errors.size();
    }

    synchronized void add(String text) {
        errors.add(new LoggedError(test, text));
        notifyAll();
    }

    /** Waits until the current test has logged an error with the text. Returns false if the time runs out. */
    synchronized boolean await(String text, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        while (errors.stream().skip(before).noneMatch(error -> error.text.contains(text))) {
            long remaining = Duration.ofNanos(end - System.nanoTime()).toMillis();
            if (remaining <= 0) {
                return false;
            }
            wait(remaining);
        }
        return true;
    }

    /** Returns the errors that contain none of the texts. Each error is shown with the test that was running. */
    synchronized List<String> without(Set<String> texts) {
        return errors.stream()
                .filter(error -> texts.stream().noneMatch(error.text::contains))
                .map(error -> error.test + ": " + error.text)
                .toList();
    }
}
