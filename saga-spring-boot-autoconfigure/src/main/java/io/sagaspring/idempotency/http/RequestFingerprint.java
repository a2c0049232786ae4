package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.Fingerprint;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * What a request says: method, path with its ids, query, kind of body, and body. A form is what its parameters are, in
 * whichever order they were sent. Of the type of the body the parameters do not count: the same bytes are the same request
 * whether or not a proxy has added a charset.
 */
final class RequestFingerprint {

    private final List<byte[]> parts = new ArrayList<>();

    private RequestFingerprint() {}

    static Fingerprint of(BufferedRequest request) {
        RequestFingerprint print = new RequestFingerprint();
        print.add(request.getMethod());
        print.addPath(path(request));
        print.add(Objects.requireNonNullElse(request.getQueryString(), ""));
        print.add(BufferedRequest.mediaType(request));
        if (BufferedRequest.isForm(request)) {
            print.addParameters(request.getParameterMap());
        }
        if (!BufferedRequest.isFormPost(request)) {
            print.parts.add(request.body());
        }
        return Fingerprint.of(print.parts.toArray(byte[][]::new));
    }

    private static RequestPath path(HttpServletRequest request) {
        return ServletRequestPathUtils.hasParsedRequestPath(request)
                ? ServletRequestPathUtils.getParsedRequestPath(request)
                : RequestPath.parse(request.getRequestURI(), request.getContextPath());
    }

    private void add(String part) {
        parts.add(part.getBytes(StandardCharsets.UTF_8));
    }

    /** How many follow comes first, so that no two lists run together. */
    private void addCount(int count) {
        add(Integer.toString(count));
    }

    /** Decoded segment by segment: a slash in an id divides nothing. */
    private void addPath(RequestPath path) {
        List<PathContainer.Element> elements = path.pathWithinApplication().elements();
        addCount(elements.size());
        for (PathContainer.Element element : elements) {
            if (element instanceof PathContainer.PathSegment segment) {
                add(segment.valueToMatch());
                Map<String, List<String>> matrix = new TreeMap<>(segment.parameters());
                matrix.keySet().removeIf("jsessionid"::equalsIgnoreCase);
                addLists(matrix);
            } else {
                add(element.value());
            }
        }
    }

    private void addParameters(Map<String, String[]> parameters) {
        Map<String, List<String>> sorted = new TreeMap<>();
        parameters.forEach((name, values) -> sorted.put(name, List.of(values)));
        addLists(sorted);
    }

    private void addLists(Map<String, List<String>> lists) {
        addCount(lists.size());
        lists.forEach((name, values) -> {
            add(name);
            addCount(values.size());
            values.forEach(this::add);
        });
    }
}
