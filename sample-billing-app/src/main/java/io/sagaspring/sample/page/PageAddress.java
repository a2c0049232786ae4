package io.sagaspring.sample.page;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Logs the page's address once the page can be used. */
@Component
class PageAddress {

    private static final Logger logger = LoggerFactory.getLogger(PageAddress.class);

    private final Environment environment;

    PageAddress(Environment environment) {
        this.environment = environment;
    }

    @EventListener(ApplicationReadyEvent.class)
    void logAddress() {
        logger.info(
                "The sample is ready. Open http://localhost:{}/ and stop it with Ctrl-C.",
                environment.getProperty("local.server.port", "8080"));
    }
}
