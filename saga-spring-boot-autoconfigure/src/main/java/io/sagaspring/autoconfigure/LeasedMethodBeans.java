package io.sagaspring.autoconfigure;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.Leased;
import io.sagaspring.lease.method.LeasedPostProcessor;
import io.sagaspring.method.MethodReading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.PropertyResolver;

/**
 * Gives the post-processor the beans that it needs. The library's beans are looked up by name, because the application
 * may have other beans of the same types.
 */
record LeasedMethodBeans(BeanFactory beans, PropertyResolver environment) implements LeasedPostProcessor.Application {

    @Override
    public String resolve(String text) {
        return environment.resolveRequiredPlaceholders(text);
    }

    @Override
    public Duration shortest() {
        return beans.getBean(LeaseProperties.class).checkedTtl();
    }

    /**
     * Finds contradictions with {@code @Idempotent} on the same method. The key is claimed first, and the lease is
     * acquired within the work of the key.
     */
    @Override
    public List<String> contradictions(MethodReading reading, Leased annotation) {
        Idempotent key = reading.find(Idempotent.class);
        List<String> contradictions = new ArrayList<>();
        if (key != null && key.sameTransaction()) {
            contradictions.add(
                    "is also @Idempotent with sameTransaction = true, but a lease cannot be acquired inside a transaction. Remove sameTransaction, or move @Leased to a method of another bean that calls this one.");
        }
        if (key != null && annotation.ifTaken() == Leased.IfTaken.SKIP) {
            contradictions.add(
                    "is also @Idempotent, but a skipped call would be recorded as completed. Use IfTaken.THROW, so that the key becomes free again.");
        }
        return contradictions;
    }

    @Override
    public LeaseManager leases() {
        return beans.getBean("sagaLeases", LeaseManager.class);
    }
}
