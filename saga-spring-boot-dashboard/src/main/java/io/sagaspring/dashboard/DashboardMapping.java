package io.sagaspring.dashboard;

import java.util.Map;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** Maps the path of the dashboard. It precedes the application's controllers, so that a catch-all does not hide it. */
final class DashboardMapping extends SimpleUrlHandlerMapping implements SmartInitializingSingleton {

    private static final int BEFORE_CONTROLLERS = -10;

    private final Runnable checks;

    /** Calls the checks when all beans exist, so that the dashboard creates no cycle between beans. */
    DashboardMapping(String path, HttpRequestHandler handler, Runnable checks) {
        this.checks = checks;
        setUrlMap(Map.of(path, handler, path + "/**", handler));
        setOrder(BEFORE_CONTROLLERS);
    }

    @Override
    public void afterSingletonsInstantiated() {
        checks.run();
    }
}
