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
 * The fingerprint of a request: its method, decoded path, query, media type and body. For a form that is sent with
 * POST, the parameters are used in place of the body. The order of the parameter names does not matter. The media type
 * is compared without its parameters, because a proxy may add a charset.
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

    /**
     * Adds the number of elements before a list. Without these numbers, two different sequences of lists could have the
     * same fingerprint.
     */
    private void addCount(int count) {
        add(Integer.toString(count));
    }

    /** Adds the path, decoded segment by segment, so that an encoded slash in an id does not split the id. */
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
