package io.sagaspring.sample;

import io.sagaspring.test.database.FreshDatabase;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;

/**
 * Starts the whole application behind a port. The test classes share it, so each uses names of its own. The application
 * looks for work more often than elsewhere, because tests wait for it.
 */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"saga.runs.poll-interval=50ms", "sample.dunning.poll=200ms", "sample.courier.poll=200ms"})
@FreshDatabase(sharedAs = "sample")
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface SampleTest {}
