package io.sagaspring.autoconfigure;

import io.sagaspring.schema.SchemaException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints a refusal of the schema as Spring Boot prints its own. */
final class SchemaFailureAnalyzer extends AbstractFailureAnalyzer<SchemaException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SchemaException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), rootFailure);
    }
}
