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

/** By the names of our own beans: the application may have others of their types. */
record LeasedSurroundings(BeanFactory beans, PropertyResolver environment) implements LeasedPostProcessor.Surroundings {

    @Override
    public String resolve(String text) {
        return environment.resolveRequiredPlaceholders(text);
    }

    @Override
    public Duration shortest() {
        return beans.getBean(LeaseProperties.class).checkedTtl();
    }

    /** Keys come before leases. */
    @Override
    public List<String> contradictions(MethodReading reading, Leased said) {
        Idempotent key = reading.find(Idempotent.class);
        List<String> contradictions = new ArrayList<>();
        if (key != null && key.sameTransaction()) {
            contradictions.add(
                    "is @Idempotent with sameTransaction, too, and no lease is acquired inside of a transaction. Remove sameTransaction, or call the method from one of another bean that has the lease.");
        }
        if (key != null && said.ifTaken() == Leased.IfTaken.SKIP) {
            contradictions.add(
                    "is @Idempotent, too, and a call that was skipped would be remembered as carried out. Let it throw, so that its key is free again.");
        }
        return contradictions;
    }

    @Override
    public LeaseManager leases() {
        return beans.getBean("sagaLeases", LeaseManager.class);
    }
}
