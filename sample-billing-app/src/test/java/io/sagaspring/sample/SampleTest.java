package io.sagaspring.sample;

import io.sagaspring.test.database.FreshDatabase;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;

/**
 * The whole application behind a port, which classes share: each uses names of its own. It looks for work more often than it
 * would elsewhere, because tests wait for it.
 */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"saga.runs.poll-interval=50ms", "sample.dunning.poll=200ms", "sample.courier.poll=200ms"})
@FreshDatabase(sharedAs = "sample")
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface SampleTest {}
