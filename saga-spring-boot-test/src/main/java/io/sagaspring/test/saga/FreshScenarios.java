package io.sagaspring.test.saga;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Before each test: contexts are shared, and what one test has left must not be met by the next. */
final class FreshScenarios implements TestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        test.getApplicationContext().getBean(SagaScenario.class).reset();
    }
}
