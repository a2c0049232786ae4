package io.sagaspring.autoconfigure;

import io.sagaspring.fence.TransactionPhase;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Adds the listener of {@link TransactionPhase} to every transaction manager that accepts listeners. */
final class TransactionPhases implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(TransactionPhase.listener());
        }
        return bean;
    }
}
