package io.sagaspring.lease.method;

import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.Leased;
import io.sagaspring.method.Arguments;
import io.sagaspring.method.MethodExpression;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.expression.EvaluationException;

/**
 * A method annotated {@link Leased}, with the parsed attributes of the annotation.
 *
 * @param name the display name of the method
 * @param annotation the annotation, for its other attributes
 * @param parameters the parameters of the method
 * @param expression the expression for the name of the lease
 * @param patience the maximum time that a call waits for the lease
 * @param ttl the duration of the lease after its last heartbeat, or null to use {@code saga.leases.ttl}
 */
record LeasedMethod(
        String name,
        Leased annotation,
        List<Arguments.Parameter> parameters,
        MethodExpression expression,
        Duration patience,
        @Nullable Duration ttl) {

    LeaseManager of(LeaseManager leases) {
        LeaseManager scoped = annotation.global() ? leases.global() : leases;
        LeaseManager waiting = scoped.waiting(patience);
        return ttl == null ? waiting : waiting.lasting(ttl);
    }

    boolean isSkipped() {
        return annotation.ifTaken() == Leased.IfTaken.SKIP;
    }

    LeaseName leaseName(@Nullable Object[] values) {
        try {
            return leaseName(expression, new Arguments(parameters, Arrays.asList(values)).variables());
        } catch (EvaluationException | IllegalArgumentException unnamed) {
            throw new IllegalArgumentException(
                    "%s was not called because \"%s\" gives no valid lease name. %s"
                            .formatted(name, annotation.value(), unnamed.getMessage()),
                    unnamed);
        }
    }

    /**
     * Evaluates the expression. Only a lease name or a simple value is accepted, because the string form of any other
     * object may differ from call to call.
     */
    static LeaseName leaseName(MethodExpression expression, Map<String, @Nullable Object> variables) {
        Object value = expression.evaluate(variables);
        if (value instanceof LeaseName name) {
            return name;
        }
        if (value == null || !BeanUtils.isSimpleValueType(value.getClass())) {
            throw new IllegalArgumentException(
                    "The value is %s, but it must be a LeaseName, a string, a number or another simple value."
                            .formatted(value == null ? "null" : "of " + value.getClass()));
        }
        return new LeaseName(value.toString());
    }
}
