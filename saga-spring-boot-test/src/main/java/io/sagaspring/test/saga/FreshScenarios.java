package io.sagaspring.test.saga;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Clears all executions before each test. Tests share application contexts, and must not see the executions of earlier
 * tests.
 */
final class FreshScenarios implements TestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        test.getApplicationContext().getBean(SagaScenario.class).reset();
    }
}
