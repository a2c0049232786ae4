package io.sagaspring.autoconfigure;

import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if there is any data source, even one that is not a default candidate. {@code @ConditionalOnBean} ignores
 * such data sources. With that annotation, the application would start without tables instead of failing with a request
 * to choose a data source.
 */
final class OnAnyDataSource extends SpringBootCondition implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("any DataSource");
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        String[] names = beans == null
                ? new String[0]
                : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class, true, false);
        return names.length == 0
                ? ConditionOutcome.noMatch(message.didNotFind("any bean").atAll())
                : ConditionOutcome.match(message.found("bean", "beans").items((Object[]) names));
    }
}
