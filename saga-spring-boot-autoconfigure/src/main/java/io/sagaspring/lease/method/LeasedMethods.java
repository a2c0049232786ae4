package io.sagaspring.lease.method;

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

/** Reads what methods say of themselves, and refuses what would leave them without their lease. */
final class LeasedMethods extends AdvisedMethods<Leased, LeasedMethod> {

    private static final String OVER_TOO_EARLY = "the lease would be given up before the work is done";

    /** What handlers of requests return instead of a result. By name, because Spring's web classes may not be there. */
    private static final Set<String> ANSWERED_LATER = Set.of(
            Callable.class.getName(),
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.SseEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private final LeasedPostProcessor.Surroundings surroundings;

    LeasedMethods(LeasedPostProcessor.Surroundings surroundings) {
        super(Leased.class);
        this.surroundings = surroundings;
    }

    @Override
    protected @Nullable LeasedMethod read(MethodReading reading, Leased said, Set<Method> others) {
        reading.requireProxy();
        reading.requireClearNames();
        checkResult(reading, said);
        surroundings.contradictions(reading, said).forEach(reading::fault);
        MethodExpression expression = expression(reading, said.value());
        Duration patience = reading.duration("patience", said.patience(), surroundings::resolve);
        Duration ttl = ttl(reading, said.ttl());
        return expression == null
                ? null
                : new LeasedMethod(
                        reading.name(),
                        said,
                        reading.parameters(),
                        expression,
                        Objects.requireNonNullElse(patience, Duration.ZERO),
                        ttl);
    }

    private static void checkResult(MethodReading reading, Leased said) {
        ResolvableType returned = ResolvableType.forType(reading.returned());
        if (reading.refuseAsync("the lease would be given up") || reading.refuseLater(OVER_TOO_EARLY)) {
            return;
        }
        Optional<Class<?>> inside = later(returned);
        inside.ifPresent(result -> reading.refuseLater(result, OVER_TOO_EARLY));
        Class<?> result = returned.resolve(Object.class);
        if (inside.isEmpty() && said.ifTaken() == Leased.IfTaken.SKIP && result != void.class) {
            reading.fault(
                    "returns %s, and is skipped if its lease is taken: its caller could not tell that from a result. Return nothing, or let it throw."
                            .formatted(result.getName()));
        }
    }

    /** A result, or a part of one. */
    private static Optional<Class<?>> later(ResolvableType returned) {
        Class<?> type = returned.resolve(Object.class);
        return MethodReading.isLater(type) || ANSWERED_LATER.contains(type.getName())
                ? Optional.of(type)
                : Arrays.stream(returned.getGenerics())
                        .map(LeasedMethods::later)
                        .flatMap(Optional::stream)
                        .findFirst();
    }

    private static @Nullable MethodExpression expression(MethodReading reading, String text) {
        if (text.isBlank()) {
            reading.fault("does not say which name it acquires. Say it, such as \"'dunning/' + #loopId\".");
            return null;
        }
        try {
            MethodExpression literal = MethodExpression.parse(text, Set.of());
            LeasedMethod.leaseName(literal, Map.of());
            return literal;
        } catch (MethodExpression.Invalid variable) {
            return reading.expression("name", text, reading.variables());
        } catch (RuntimeException unnamed) {
            reading.fault("has the name \"%s\", and nothing can be named so. %s".formatted(text, unnamed.getMessage()));
            return null;
        }
    }

    private @Nullable Duration ttl(MethodReading reading, String text) {
        Duration ttl = reading.duration("ttl", text, surroundings::resolve);
        if (ttl != null && ttl.compareTo(surroundings.shortest()) < 0) {
            reading.fault(
                    "has the ttl \"%s\", and this node renews its leases as often as saga.leases.ttl=%s needs. Lower that, or let the lease last longer."
                            .formatted(text, surroundings.shortest()));
        }
        return ttl;
    }
}
