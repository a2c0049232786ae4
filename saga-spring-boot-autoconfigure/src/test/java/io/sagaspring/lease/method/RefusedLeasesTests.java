package io.sagaspring.lease.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.Leased;
import io.sagaspring.lease.Leased.IfTaken;
import io.sagaspring.method.MethodReading;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** A method that cannot have a lease is refused with a sentence that names the reason. */
@SuppressWarnings("unused") // None of these methods is ever called.
class RefusedLeasesTests {

    static class Asynchronous {
        @Async
        @Leased("'n'")
        public void run() {}
    }

    static class Promising {
        @Leased("'n'")
        public CompletableFuture<String> run() {
            return new CompletableFuture<>();
        }
    }

    static class Streaming {
        @Leased("'n'")
        public ResponseEntity<StreamingResponseBody> run() {
            return ResponseEntity.ok(out -> {});
        }
    }

    static class Deferring {
        @Leased("'n'")
        public DeferredResult<String> run() {
            return new DeferredResult<>();
        }
    }

    static class Calling {
        @Leased("'n'")
        public Callable<String> run() {
            return () -> "";
        }
    }

    static class Promises {
        @Leased("'n'")
        public List<CompletableFuture<String>> run() {
            return List.of();
        }
    }

    static class Suspending {
        @Leased("'n'")
        public String run(Continuation<String> then) {
            return "";
        }
    }

    static class Shared {
        @Leased("'n'")
        public static void run() {}
    }

    static class Shadowing {
        @Leased("#p1")
        public void run(String p1, String id) {}
    }

    static class Nameless {
        @Leased(" ")
        public void run() {}
    }

    static class Blank {
        @Leased("' '")
        public void run() {}
    }

    static class Empty {
        @Leased("null")
        public void run() {}
    }

    static class Divided {
        @Leased("1 / 0")
        public void run() {}
    }

    static class Unknown {
        @Leased("'dun/' + #lop")
        public void run(String loop) {}
    }

    static class Unreadable {
        @Leased("'dun/' +")
        public void run(String loop) {}
    }

    static class Impatient {
        @Leased(value = "'n'", patience = "-5s")
        public void run() {}
    }

    static class ShortLived {
        @Leased(value = "'n'", ttl = "29999ms")
        public void run() {}
    }

    static class Timeless {
        @Leased(value = "'n'", ttl = "a while")
        public void run() {}
    }

    static class SkippedResult {
        @Leased(value = "'n'", ifTaken = IfTaken.SKIP)
        public boolean run() {
            return true;
        }
    }

    static Stream<Arguments> refused() {
        String early =
                "does not exist yet when the method ends, so the lease would be released before the work is done.";
        return Stream.of(
                arguments(
                        Asynchronous.class,
                        "is @Async, or its class is, so the lease would be released before the work begins."),
                arguments(Promising.class, "returns java.util.concurrent.CompletableFuture, whose result " + early),
                arguments(
                        Streaming.class,
                        "returns " + StreamingResponseBody.class.getName() + ", whose result " + early),
                arguments(Deferring.class, "returns " + DeferredResult.class.getName() + ", whose result " + early),
                arguments(Calling.class, "returns java.util.concurrent.Callable, whose result " + early),
                arguments(Promises.class, "returns java.util.concurrent.CompletableFuture, whose result " + early),
                arguments(Suspending.class, "is a suspending function"),
                arguments(Shared.class, "is private, static or final"),
                arguments(Shadowing.class, "has a parameter 'p1', but in expressions that name means parameter 2"),
                arguments(Nameless.class, "has no expression for the name of the lease."),
                arguments(Blank.class, "has the invalid lease name \"' '\". The name of the lease is empty or blank."),
                arguments(Empty.class, "has the invalid lease name \"null\". The value is null"),
                arguments(Divided.class, "has the invalid lease name \"1 / 0\"."),
                arguments(
                        Unknown.class,
                        "has the name \"'dun/' + #lop\", but it uses #lop, which does not exist here. The variables are #loop, #p0."),
                arguments(Unreadable.class, "has the name \"'dun/' +\", but it cannot be parsed"),
                arguments(Impatient.class, "has the patience \"-5s\", which is not a valid duration"),
                arguments(ShortLived.class, "which is shorter than saga.leases.ttl (30 s)."),
                arguments(Timeless.class, "has the ttl \"a while\", which is not a valid duration"),
                arguments(SkippedResult.class, "returns boolean, but is skipped if the lease is not free"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aMethodThatCannotBeLeasedIsRefused(Class<?> type, String sentence) {
        assertThat(new LeasedMethods(new Around()).faults(type))
                .singleElement()
                .asString()
                .startsWith(type.getName() + ".run ")
                .contains(sentence);
    }

    static class Allowed {
        @Leased(value = "'n'", ttl = "30s", patience = "0s", ifTaken = IfTaken.SKIP)
        public void nothing() {}

        @Leased("#p0 + '/' + #other")
        public List<? extends Number> result(String id, int other) {
            return List.of();
        }

        @Leased("'n'")
        public ResponseEntity<String> handler() {
            return ResponseEntity.ok("");
        }
    }

    @Test
    void aMethodThatCanBeLeasedIsNotRefused() {
        assertThat(new LeasedMethods(new Around()).faults(Allowed.class)).isEmpty();
    }

    record Around() implements LeasedPostProcessor.Application {

        @Override
        public String resolve(String text) {
            return text;
        }

        @Override
        public Duration shortest() {
            return Duration.ofSeconds(30);
        }

        @Override
        public List<String> contradictions(MethodReading reading, Leased annotation) {
            return List.of();
        }

        @Override
        public LeaseManager leases() {
            throw new IllegalStateException("Nothing is called.");
        }
    }
}
