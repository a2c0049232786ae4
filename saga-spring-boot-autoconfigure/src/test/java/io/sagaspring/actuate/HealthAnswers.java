package io.sagaspring.actuate;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.springframework.boot.health.contributor.Health;

/** Reads the problems from the health endpoint, and waits for the health to change. */
final class HealthAnswers {

    private HealthAnswers() {}

    static List<String> problems(Health health) {
        return ((Collection<?>) health.getDetails().getOrDefault("problems", List.of()))
                .stream().map(String::valueOf).collect(Collectors.toList());
    }

    static <T> T await(Callable<T> reading, Predicate<T> condition) {
        return Awaitility.await().atMost(30, SECONDS).until(reading, condition);
    }
}
