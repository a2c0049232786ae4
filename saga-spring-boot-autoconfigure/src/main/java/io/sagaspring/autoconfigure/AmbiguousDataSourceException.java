package io.sagaspring.autoconfigure;

import java.util.List;
import org.springframework.boot.diagnostics.FailureAnalyzedException;

/** Thrown if the application has several data sources and it is not clear which of them has the library's tables. */
final class AmbiguousDataSourceException extends FailureAnalyzedException {

    private static final long serialVersionUID = 1L;

    AmbiguousDataSourceException(List<String> names) {
        super(
                "Saga keeps its tables in one data source, and cannot tell which of these it is: %s."
                        .formatted(String.join(", ", names)),
                "Mark exactly one of them with @SagaDataSource, or make the application's main one @Primary.");
    }
}
