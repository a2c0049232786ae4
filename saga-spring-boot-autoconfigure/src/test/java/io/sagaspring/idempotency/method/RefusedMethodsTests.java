package io.sagaspring.idempotency.method;

import static io.sagaspring.idempotency.method.Around.faults;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.method.IdempotentPostProcessor.Application.Handlers;
import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Controller;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.service.annotation.PostExchange;

/** Tests which methods cannot be idempotent, and the message about each. */
@SuppressWarnings({"unused", "TypeParameterUnusedInFormals"}) // None of the methods is ever called.
class RefusedMethodsTests {

    @Async
    @Retention(RetentionPolicy.RUNTIME)
    @interface InBackground {}

    static class AsyncMethod {
        @Async
        @Idempotent(requestId = "#p0")
        public void run(String id) {}
    }

    @InBackground
    static class AsyncClass {
        @Idempotent(requestId = "#p0")
        public void run(String id) {}
    }

    interface Background {
        @InBackground
        void run(String id);
    }

    static class AsyncByItsInterface implements Background {
        @Override
        @Idempotent(requestId = "#p0")
        public void run(String id) {}
    }

    static class Generic<T> {
        @Idempotent(requestId = "#p0")
        public T run(String id) {
            throw new IllegalStateException();
        }
    }

    static class GenericFuture extends Generic<Future<String>> {}

    static class AnyFuture {
        @Idempotent(requestId = "#p0")
        public <T extends CompletableFuture<?>> T run(String id) {
            throw new IllegalStateException();
        }
    }

    static class AnyObject {
        @Idempotent(requestId = "#p0")
        public Object run(String id) {
            return id;
        }
    }

    sealed interface Outcome permits Done {}

    record Done(int cents) implements Outcome {}

    static class SealedReply {
        @Idempotent(requestId = "#p0")
        public Outcome run(String id) {
            return new Done(1);
        }
    }

    static class SealedReplies {
        @Idempotent(requestId = "#p0")
        public List<Optional<Outcome[]>> run(String id) {
            return List.of();
        }
    }

    static class SerializableReply {
        @Idempotent(requestId = "#p0")
        public Serializable run(String id) {
            return id;
        }
    }

    static class Suspending {
        @Idempotent(requestId = "#p0")
        public String run(String id, Continuation<String> then) {
            return id;
        }
    }

    static class Shadowing {
        @Idempotent(requestId = "#p1")
        public void run(String p1, String id) {}
    }

    static class ResultTwice {
        @Idempotent(requestId = "#p0", unless = "#result")
        public boolean run(String result) {
            return true;
        }
    }

    static class Impatient {
        @Idempotent(requestId = "#p0", patience = "-5s")
        public void run(String id) {}
    }

    static class Once {
        @Idempotent(requestId = "#p0")
        public void run(String id, Iterator<String> all) {}
    }

    static class RequiresNew {
        @Idempotent(requestId = "#p0", sameTransaction = true)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void run(String id) {}
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Outside {}

    @Outside
    static class OutsideByItsClass {
        @Idempotent(requestId = "#p0", sameTransaction = true)
        public void run(String id) {}
    }

    static class Isolated {
        @Idempotent(requestId = "#p0", sameTransaction = true)
        @Transactional(isolation = Isolation.SERIALIZABLE)
        public void run(String id) {}
    }

    static class Timed {
        @Idempotent(requestId = "#p0", sameTransaction = true)
        @Transactional(timeout = 5)
        public void run(String id) {}
    }

    static class Reading {
        @Idempotent(requestId = "#p0", sameTransaction = true)
        @Transactional(readOnly = true)
        public void run(String id) {}
    }

    static class Elsewhere {
        @Idempotent(requestId = "#p0", sameTransaction = true)
        @Transactional("other")
        public void run(String id) {}
    }

    static class NoRollback {
        @Idempotent(requestId = "#p0", sameTransaction = true)
        @Transactional(noRollbackFor = IllegalStateException.class)
        public void run(String id) {}
    }

    static Stream<Arguments> refused() {
        String async = "is @Async, or its class is";
        String later = "whose result does not exist yet when the method ends";
        String unreadable = "JSON does not contain the concrete class";
        return Stream.of(
                arguments(AsyncMethod.class, async),
                arguments(AsyncClass.class, async),
                arguments(AsyncByItsInterface.class, async),
                arguments(GenericFuture.class, later),
                arguments(AnyFuture.class, later),
                arguments(AnyObject.class, "returns Object, and a stored reply cannot be read back as this type"),
                arguments(Generic.class, "returns Object, and a stored reply cannot be read back as this type"),
                arguments(SealedReply.class, "returns " + Outcome.class.getName() + ", but " + unreadable),
                arguments(SealedReplies.class, "returns " + Outcome.class.getName() + ", but " + unreadable),
                arguments(
                        SerializableReply.class,
                        "returns Serializable, and a stored reply cannot be read back as this type"),
                arguments(PartlyStored.class, "[code] of " + Card.class.getName() + " would be lost"),
                arguments(Suspending.class, "is a suspending function"),
                arguments(Shadowing.class, "has a parameter 'p1', but in expressions that name means parameter 2"),
                arguments(ResultTwice.class, "has a parameter 'result', but in its unless expression, #result is"),
                arguments(Impatient.class, "has the patience \"-5s\", which is not a valid duration"),
                arguments(Once.class, "takes java.util.Iterator as all, which can be read only once"),
                arguments(RequiresNew.class, "its propagation would execute the work outside the transaction"),
                arguments(OutsideByItsClass.class, "its propagation would execute the work outside the transaction"),
                arguments(Isolated.class, "has an isolation level, which is ignored"),
                arguments(Timed.class, "has a timeout, which is ignored"),
                arguments(Reading.class, "has readOnly, which is ignored"),
                arguments(Elsewhere.class, "names the transaction manager 'other'"),
                arguments(NoRollback.class, "has exceptions that cause no rollback"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aMethodThatCannotBeProtectedIsRefused(Class<?> type, String sentence) {
        assertThat(faults(type, Handlers.UNPROTECTED))
                .singleElement()
                .asString()
                .startsWith(type.getName() + ".run ")
                .contains(sentence);
    }

    static class Overloaded {
        @Idempotent(requestId = "#p0")
        public void run(String id, int cents) {}

        @Idempotent(requestId = "#p0")
        public void run(String id, String cents) {}

        @Idempotent(requestId = "#p0", operation = "'two'")
        public void run(String id, int cents, String comment) {}

        public void run(String id) {}
    }

    @Test
    void overloadsWithoutOperationsAreRefused() {
        assertThat(faults(Overloaded.class, Handlers.UNPROTECTED))
                .hasSize(2)
                .allMatch(fault -> fault.contains("has the same name as another @Idempotent method"));
    }

    record Card(String number, @JsonIgnore String code) {}

    static class PartlyStored {
        @Idempotent(requestId = "#p0")
        public List<Card> run(String p0) {
            return List.of();
        }
    }

    static class Allowed {
        @Idempotent(requestId = "#p0", sameTransaction = true)
        @Transactional(rollbackFor = Exception.class)
        public Map<String, Object> joining(String p0) {
            return Map.of();
        }

        @Idempotent(requestId = "#p0", sameTransaction = true)
        @Transactional(propagation = Propagation.MANDATORY)
        public List<? extends Number> mandatory(String id) {
            return List.of();
        }

        @Idempotent(requestId = "#p0", fingerprint = "'f'")
        @Transactional(propagation = Propagation.REQUIRES_NEW, timeout = 5)
        public Typed typed(String id, Iterator<String> all) {
            return new Typed() {};
        }

        @Idempotent(requestId = "#p0", unless = "#result < 0")
        public int primitive(String id) {
            return 1;
        }

        @Idempotent(requestId = "#p0")
        public byte[] bytes(String id) {
            return new byte[0];
        }

        @Idempotent(requestId = "#p0")
        public CharSequence text(String id) {
            return "";
        }
    }

    @Test
    void aMethodThatCanBeProtectedIsNotRefused() {
        assertThat(faults(Allowed.class, Handlers.UNPROTECTED)).isEmpty();
    }

    /**
     * The library does not know which types an application's codec can read back, but no codec can read back an Object.
     */
    @Test
    void anApplicationsCodecAllowsMoreReplyTypes() {
        Around own = new Around(Handlers.UNPROTECTED, true);

        assertThat(new IdempotentMethods(own).faults(SealedReply.class)).isEmpty();
        assertThat(new IdempotentMethods(own).faults(AnyObject.class)).hasSize(1);
    }

    @Controller
    static class Desk {
        @PostMapping("/mapped")
        @Idempotent
        public void mapped() {}

        @PostExchange("/exchanged")
        @Idempotent
        public void exchanged() {}
    }

    interface Contract {
        @PostMapping("/pay")
        @Idempotent
        void pay();
    }

    static class NoController implements Contract {
        @Override
        public void pay() {}
    }

    /** In other web applications, the web layer protects the handlers, because it reads the header with the key. */
    @Test
    void handlersAreRefusedOnlyInAReactiveApplication() {
        assertThat(faults(Desk.class, Handlers.PROTECTED)).isEmpty();
        assertThat(faults(Desk.class, Handlers.UNPROTECTED)).isEmpty();
        assertThat(faults(Desk.class, Handlers.UNSUPPORTED))
                .hasSize(2)
                .allMatch(fault -> fault.contains("in a reactive application"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PROTECTED", "UNPROTECTED", "UNSUPPORTED"})
    void aMappingWithoutAControllerIsNotAHandler(Handlers handlers) {
        assertThat(faults(NoController.class, handlers))
                .singleElement()
                .asString()
                .contains("has no requestId");
    }
}
