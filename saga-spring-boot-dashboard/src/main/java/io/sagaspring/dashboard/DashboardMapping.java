package io.sagaspring.dashboard;

import java.util.Map;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** Maps the path of the dashboard. It precedes the application's controllers, so that a catch-all does not hide it. */
final class DashboardMapping extends SimpleUrlHandlerMapping {

    private static final int BEFORE_CONTROLLERS = -10;

    DashboardMapping(String path, HttpRequestHandler handler) {
        setUrlMap(Map.of(path, handler, path + "/**", handler));
        setOrder(BEFORE_CONTROLLERS);
    }
}
