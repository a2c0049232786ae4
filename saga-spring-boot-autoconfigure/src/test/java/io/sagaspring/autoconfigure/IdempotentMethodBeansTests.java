package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.idempotency.method.IdempotentPostProcessor.Application.Handlers;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.web.context.reactive.StandardReactiveWebEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;

/** Idempotent handler methods are protected, unprotected or unsupported, depending on the kind of application. */
class IdempotentMethodBeansTests {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    @Test
    void handlersAreProtectedIfTheirAdapterExists() {
        assertThat(handlers(new StandardEnvironment())).isEqualTo(Handlers.UNPROTECTED);
        beans.registerSingleton("sagaIdempotentHandlerAdapter", new Object());
        assertThat(handlers(new StandardEnvironment())).isEqualTo(Handlers.PROTECTED);
    }

    @Test
    void handlersOfReactiveApplicationsAreNotSupported() {
        assertThat(handlers(new StandardReactiveWebEnvironment())).isEqualTo(Handlers.UNSUPPORTED);
    }

    private Handlers handlers(Environment environment) {
        return new IdempotentMethodBeans(beans, environment).handlers();
    }
}
