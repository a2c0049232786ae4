package io.sagaspring.lease.method;

import io.sagaspring.fence.DurationText;
import io.sagaspring.lease.Leased;
import io.sagaspring.method.AdvisedMethods;
import io.sagaspring.method.MethodExpression;
import io.sagaspring.method.MethodReading;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Reads the annotations of methods, and reports the faults that would make a method run without its lease. */
final class LeasedMethods extends AdvisedMethods<Leased, LeasedMethod> {

    private static final String RELEASED_TOO_EARLY = "the lease would be released before the work is done";

    /**
     * The return types of request handlers whose result is produced later. They are given as names, because Spring's
     * web classes may be missing.
     */
    private static final Set<String> LATER_RESULTS = Set.of(
            Callable.class.getName(),
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.SseEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private final LeasedPostProcessor.Application application;

    LeasedMethods(LeasedPostProcessor.Application application) {
        super(Leased.class);
        this.application = application;
    }

    @Override
    protected @Nullable LeasedMethod read(MethodReading reading, Leased annotation, Set<Method> others) {
        reading.requireProxy();
        reading.requireClearNames();
        checkResult(reading, annotation);
        application.contradictions(reading, annotation).forEach(reading::fault);
        MethodExpression expression = expression(reading, annotation.value());
        Duration patience = reading.duration("patience", annotation.patience(), application::resolve);
        Duration ttl = ttl(reading, annotation.ttl());
        return expression == null
                ? null
                : new LeasedMethod(
                        reading.name(),
                        annotation,
                        reading.parameters(),
                        expression,
                        Objects.requireNonNullElse(patience, Duration.ZERO),
                        ttl);
    }

    private static void checkResult(MethodReading reading, Leased annotation) {
        ResolvableType returned = ResolvableType.forType(reading.returned());
        if (reading.refuseAsync("the lease would be released") || reading.refuseAsyncResult(RELEASED_TOO_EARLY)) {
            return;
        }
        Optional<Class<?>> inside = later(returned);
        inside.ifPresent(result -> reading.refuseAsyncResult(result, RELEASED_TOO_EARLY));
        Class<?> result = returned.resolve(Object.class);
        if (inside.isEmpty() && annotation.ifTaken() == Leased.IfTaken.SKIP && result != void.class) {
            reading.fault(
                    "returns %s, but is skipped if the lease is not free. The caller could not distinguish a skipped call from a result. Return void, or use IfTaken.THROW."
                            .formatted(result.getName()));
        }
    }

    /** Finds a type whose result is produced later, in the return type or its type arguments. */
    private static Optional<Class<?>> later(ResolvableType returned) {
        Class<?> type = returned.resolve(Object.class);
        return MethodReading.isAsync(type) || LATER_RESULTS.contains(type.getName())
                ? Optional.of(type)
                : Arrays.stream(returned.getGenerics())
                        .map(LeasedMethods::later)
                        .flatMap(Optional::stream)
                        .findFirst();
    }

    private static @Nullable MethodExpression expression(MethodReading reading, String text) {
        if (text.isBlank()) {
            reading.fault("has no expression for the name of the lease. Set one, such as \"'dunning/' + #loopId\".");
            return null;
        }
        try {
            MethodExpression literal = MethodExpression.parse(text, Set.of());
            LeasedMethod.leaseName(literal, Map.of());
            return literal;
        } catch (MethodExpression.Invalid variable) {
            return reading.expression("name", text, reading.variables());
        } catch (RuntimeException unnamed) {
            reading.fault("has the invalid lease name \"%s\". %s".formatted(text, unnamed.getMessage()));
            return null;
        }
    }

    private @Nullable Duration ttl(MethodReading reading, String text) {
        Duration ttl = reading.duration("ttl", text, application::resolve);
        if (ttl != null && ttl.compareTo(application.shortest()) < 0) {
            reading.fault(
                    "has the ttl \"%s\", which is shorter than saga.leases.ttl (%s). That property sets how often this node renews its leases. Use a longer ttl, or lower the property."
                            .formatted(text, DurationText.exactly(application.shortest())));
        }
        return ttl;
    }
}
