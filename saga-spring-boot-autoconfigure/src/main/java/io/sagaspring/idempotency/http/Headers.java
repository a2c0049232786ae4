package io.sagaspring.idempotency.http;

import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The headers of a response as they were before its handler was called. */
final class Headers {

    private final Map<String, List<String>> before;

    private Headers(Map<String, List<String>> before) {
        this.before = before;
    }

    static Headers of(HttpServletResponse response) {
        Map<String, List<String>> found = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String name : response.getHeaderNames()) {
            found.put(name, List.copyOf(response.getHeaders(name)));
        }
        return new Headers(found);
    }

    /** Removes the headers of a reply that the client does not get. */
    void restore(HttpServletResponse response) {
        Collection<String> now = new ArrayList<>(response.getHeaderNames());
        now.stream().filter(name -> !before.containsKey(name)).forEach(name -> response.setHeader(name, null));
        before.forEach((name, values) -> {
            response.setHeader(name, null);
            values.forEach(value -> response.addHeader(name, value));
        });
    }
}
