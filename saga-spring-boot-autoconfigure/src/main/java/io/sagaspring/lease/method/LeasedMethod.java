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
 * What a method's annotation says, read once.
 *
 * @param name the method, as it shows to people
 * @param annotation the rest
 * @param parameters what it is called with
 * @param expression what is acquired
 * @param patience for how long a call waits
 * @param ttl for how long its holder may be silent, or null where the application says so
 */
record LeasedMethod(
        String name,
        Leased annotation,
        List<Arguments.Parameter> parameters,
        MethodExpression expression,
        Duration patience,
        @Nullable Duration ttl) {

    LeaseManager of(LeaseManager leases) {
        LeaseManager waiting = leases.waiting(patience);
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
                    "%s was not called: its lease \"%s\" cannot be named. %s"
                            .formatted(name, annotation.value(), unnamed.getMessage()),
                    unnamed);
        }
    }

    /** What only says where it is in memory would be another name each time. */
    static LeaseName leaseName(MethodExpression expression, Map<String, @Nullable Object> variables) {
        Object said = expression.evaluate(variables);
        if (said instanceof LeaseName name) {
            return name;
        }
        if (said == null || !BeanUtils.isSimpleValueType(said.getClass())) {
            throw new IllegalArgumentException("It is %s, and must be a text, a number or the like."
                    .formatted(said == null ? "null" : "of " + said.getClass()));
        }
        return new LeaseName(said.toString());
    }
}
