package io.sagaspring.actuate;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.sagaspring.shop.Http;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.springframework.boot.health.contributor.Health;
import tools.jackson.databind.JsonNode;

/** Reads the problems from the health endpoint, and waits for the health to change. */
final class HealthAnswers {

    private HealthAnswers() {}

    static List<String> problems(Health health) {
        return ((Collection<?>) health.getDetails().getOrDefault("problems", List.of()))
                .stream().map(String::valueOf).collect(Collectors.toList());
    }

    /** Returns the health of the library as soon as it has this detail. A slow database may delay the detail. */
    static JsonNode ofSaga(Http http, String detail) {
        return await(
                () -> http.get("/actuator/health/saga").json(),
                saga -> saga.path("details").has(detail));
    }

    static <T> T await(Callable<T> reading, Predicate<T> condition) {
        return Awaitility.await().atMost(30, SECONDS).until(reading, condition);
    }
}
