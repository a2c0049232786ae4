package io.sagaspring.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.springframework.core.io.ClassPathResource;

/** The description of the API for other programs. It is not part of the page, so it is not among the page's files. */
final class OpenApi {

    static final String NAME = "openapi.json";

    private static final String FILE = "META-INF/saga-dashboard-openapi.json";

    private OpenApi() {}

    static Content load() {
        try {
            byte[] content = new ClassPathResource(FILE, OpenApi.class.getClassLoader()).getContentAsByteArray();
            return new Content("application/json", content, Tags.strong(content));
        } catch (IOException unreadable) {
            throw new UncheckedIOException("The description of the dashboard's API cannot be read", unreadable);
        }
    }
}
