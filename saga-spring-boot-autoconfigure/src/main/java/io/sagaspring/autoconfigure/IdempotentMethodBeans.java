package io.sagaspring.autoconfigure;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.idempotency.method.IdempotentPostProcessor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.web.context.reactive.ConfigurableReactiveWebEnvironment;
import org.springframework.core.env.Environment;

/**
 * Gives the post-processor the beans that it needs. The library's beans are looked up by name, because the application
 * may have other beans of the same types.
 */
record IdempotentMethodBeans(BeanFactory beans, Environment environment)
        implements IdempotentPostProcessor.Application {

    @Override
    public Handlers handlers() {
        if (environment instanceof ConfigurableReactiveWebEnvironment) {
            return Handlers.UNSUPPORTED;
        }
        return beans.containsBean("sagaIdempotentHandlerAdapter") ? Handlers.PROTECTED : Handlers.UNPROTECTED;
    }

    @Override
    public boolean hasOwnCodec() {
        return !beans.containsBean("sagaPayloadCodec");
    }

    @Override
    public String resolve(String text) {
        return environment.resolveRequiredPlaceholders(text);
    }

    @Override
    public Idempotency idempotency() {
        return beans.getBean("sagaIdempotency", Idempotency.class);
    }

    @Override
    public OwnerResolver owners() {
        return beans.getBean(OwnerResolver.class);
    }
}
