package io.sagaspring.test.saga;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Clears all executions before each test. Contexts are shared, and a test must not see the executions of an earlier
 * test.
 */
final class FreshScenarios implements TestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        test.getApplicationContext().getBean(SagaScenario.class).reset();
    }
}
