package io.sagaspring.sample;

import io.sagaspring.test.database.FreshDatabase;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;

/**
 * Starts the whole application on a port. The test classes share the application, so each class uses its own names. The
 * application looks for work more often than in production, because tests wait for that work.
 */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "saga.runs.poll-interval=50ms",
            // The tests also pass if the machine stops for some seconds.
            "saga.dashboard.statement-timeout=1m",
            "sample.dunning.poll=200ms",
            "sample.courier.poll=200ms",
            "sample.statements.quiet=100ms"
        })
@FreshDatabase(sharedAs = "sample")
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface SampleTest {}
