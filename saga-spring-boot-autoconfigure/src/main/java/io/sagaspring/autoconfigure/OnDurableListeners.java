package io.sagaspring.autoconfigure;

import io.sagaspring.listener.DurableListener;
import io.sagaspring.listener.ListenerEngine;
import io.sagaspring.method.AnnotatedBeans;
import io.sagaspring.startup.StartupFaultException;
import java.util.List;
import java.util.Objects;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if a bean has a method with {@link DurableListener}. */
final class OnDurableListeners extends SpringBootCondition implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        List<String> found = names(Objects.requireNonNull(context.getBeanFactory()));
        ConditionMessage.Builder message = ConditionMessage.forCondition("Durable listeners");
        return found.isEmpty()
                ? ConditionOutcome.noMatch(
                        message.didNotFind("a bean with @DurableListener").atAll())
                : ConditionOutcome.match(message.found("bean", "beans").items(found));
    }

    private static List<String> names(ConfigurableListableBeanFactory beans) {
        return AnnotatedBeans.find(beans, DurableListener.class).stream()
                .map(AnnotatedBeans.Bean::name)
                .toList();
    }

    /**
     * Requires that this condition has overlooked no listener. The condition cannot see a listener whose {@code @Bean}
     * method declares another return type.
     */
    static void requireNoneOverlooked(ConfigurableListableBeanFactory beans) {
        if (beans.getBeanNamesForType(ListenerEngine.class, false, false).length == 0) {
            List<String> overlooked = names(beans);
            if (!overlooked.isEmpty()) {
                throw new OverlookedListenersException(overlooked);
            }
        }
    }

    /** Reports listeners that would never receive an event. */
    private static final class OverlookedListenersException extends StartupFaultException {

        private static final long serialVersionUID = 1L;

        OverlookedListenersException(List<String> names) {
            super(
                    "The methods with @DurableListener of these beans would receive no events: "
                            + String.join(", ", names),
                    "The methods with @DurableListener of these beans would receive no events, because the return types of their @Bean methods hide them: %s."
                            .formatted(String.join(", ", names)),
                    "Declare the class that has the methods as the return type of the @Bean method.");
        }
    }
}
