package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.AsyncMethods;
import io.sagaspring.idempotency.Idempotent;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/** What a method must be like so that it can be carried out once, and its reply be stored and read back. */
final class MethodRules {

    private static final String SUSPENDED = "kotlin.coroutines.Continuation";
    private static final List<Class<?>> LATER =
            List.of(BaseStream.class, CompletionStage.class, Flow.Publisher.class, Future.class);

    private final Method method;
    private final Class<?> type;
    private final Idempotent said;
    private final Surroundings surroundings;

    MethodRules(Method method, Class<?> type, Idempotent said, Surroundings surroundings) {
        this.method = method;
        this.type = type;
        this.said = said;
        this.surroundings = surroundings;
    }

    /** Tells what is wrong. */
    void check(Type returned, List<Arguments.Parameter> parameters, Collection<String> faults) {
        checkAttributes(faults);
        checkThatItCanBeProxied(faults);
        checkReply(returned, faults);
        checkNames(parameters, faults);
        checkThatArgumentsCanBeCompared(faults);
        if (said.sameTransaction()) {
            OwnTransaction.faults(method, type).forEach(faults::add);
        }
    }

    private void checkAttributes(Collection<String> faults) {
        if (surroundings.handlers() == Surroundings.Handlers.UNSUPPORTED && HandlerMethods.isHandler(method, type)) {
            faults.add(
                    "handles requests in a reactive application, where the header Idempotency-Key is not read and nothing may block. Annotate the method of the service that it calls.");
        } else if (said.requestId().isEmpty()) {
            faults.add("does not say where the request id is. Add requestId, such as \"#requestId\".");
        }
        if (said.changesAccount() && said.fingerprint().isEmpty()) {
            faults.add(
                    "changes its account, so that a repetition may come with another one. Say with fingerprint what makes two requests the same.");
        }
        if (said.sameTransaction() && !said.patience().isEmpty()) {
            faults.add(
                    "has a patience, and with sameTransaction a repetition waits for the transaction, up to saga.idempotency.transaction-patience. Remove it.");
        }
    }

    private void checkThatItCanBeProxied(Collection<String> faults) {
        if (Modifier.isPrivate(method.getModifiers())
                || Modifier.isStatic(method.getModifiers())
                || Modifier.isFinal(method.getModifiers())) {
            faults.add(
                    "is private, static or final, so that no proxy can stand before it. Make it an instance method that may be overridden.");
        }
    }

    private void checkReply(Type returned, Collection<String> faults) {
        Class<?> reply = ResolvableType.forType(returned).resolve(Object.class);
        Class<?>[] parameters = method.getParameterTypes();
        if (AsyncMethods.isAsync(method, type)) {
            faults.add(
                    "is @Async, itself or by its class: the key would be completed before the work begins. Annotate a method that the other thread calls.");
        } else if (LATER.stream().anyMatch(each -> each.isAssignableFrom(reply))
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(reply) != null) {
            faults.add(
                    "returns %s, whose result is not there when the method ends: there would be no reply to store. Return the value itself."
                            .formatted(reply.getName()));
        } else if (parameters.length > 0
                && parameters[parameters.length - 1].getName().equals(SUSPENDED)) {
            faults.add(
                    "is a suspending function, whose result is not there when it first returns: there would be no reply to store. Annotate a function that does not suspend.");
        } else {
            Readability.fault(ResolvableType.forType(returned), surroundings::hasOwnCodec)
                    .ifPresent(faults::add);
        }
    }

    /** A name that means one argument to who reads it, and another one to who compiles without names. */
    private void checkNames(List<Arguments.Parameter> parameters, Collection<String> faults) {
        for (int each = 0; each < parameters.size(); each++) {
            String name = parameters.get(each).name();
            int number = number(name, parameters.size());
            if (number >= 0 && number != each) {
                faults.add("has a parameter '%s', which is also how parameter %d is called by number. Rename it."
                        .formatted(name, number + 1));
            }
            if ("result".equals(name) && !said.unless().isEmpty()) {
                faults.add("has a parameter 'result', and in its unless that is what the method returns. Rename it.");
            }
        }
    }

    private static int number(@Nullable String name, int count) {
        for (int each = 0; each < count; each++) {
            if (Arguments.number(each).equals(name)) {
                return each;
            }
        }
        return -1;
    }

    private void checkThatArgumentsCanBeCompared(Collection<String> faults) {
        if (said.fingerprint().isEmpty()) {
            Arrays.stream(method.getParameterTypes())
                    .filter(each -> Iterator.class.isAssignableFrom(each) || BaseStream.class.isAssignableFrom(each))
                    .forEach(each -> faults.add(
                            "takes %s, which can be read only once, and not be compared before. Say with fingerprint what makes two requests the same."
                                    .formatted(each.getName())));
        }
    }
}
