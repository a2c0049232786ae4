package io.sagaspring.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * The files of the page. They are read once, at start-up. A request selects one of them by its exact name, so no request
 * can reach any other file.
 */
final class DashboardFiles {

    private static final String ROOT = "META-INF/saga-dashboard/";

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=UTF-8",
            "js", "text/javascript;charset=UTF-8",
            "css", "text/css;charset=UTF-8",
            "json", "application/json",
            "svg", "image/svg+xml",
            "png", "image/png",
            "ico", "image/x-icon",
            "txt", "text/plain;charset=UTF-8");

    private final Map<String, Content> files;

    private DashboardFiles(Map<String, Content> files) {
        this.files = files;
    }

    static DashboardFiles load() {
        Map<String, Content> files = new TreeMap<>();
        try {
            for (Resource each : new PathMatchingResourcePatternResolver(DashboardFiles.class.getClassLoader())
                    .getResources("classpath*:" + ROOT + "**")) {
                if (each.isReadable()
                        && each.getFilename() != null
                        && !each.getFilename().isEmpty()) {
                    add(files, each);
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException("The files of the dashboard cannot be read", unreadable);
        }
        return new DashboardFiles(files);
    }

    private static void add(Map<String, Content> files, Resource resource) throws IOException {
        String url = resource.getURL().toString();
        String name = url.substring(url.indexOf(ROOT) + ROOT.length());
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type != null) {
            byte[] content = resource.getContentAsByteArray();
            files.putIfAbsent(name, new Content(type, content, Tags.strong(content)));
        }
    }

    Optional<Content> find(String name) {
        return Optional.ofNullable(files.get(name.isEmpty() ? "index.html" : name));
    }
}
