package io.sagaspring.sample;

import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Instances of the sample on one database, in this process. */
public final class SampleNodes {

    /** Guards the logging system, which is global to the JVM. Two applications must not initialize it at the same time. */
    private static final ReentrantLock logging = new ReentrantLock();

    private SampleNodes() {}

    /** Starts another instance on its own port. */
    public static ConfigurableApplicationContext start(TestDatabase database, String... settings) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.datasource.url=" + database.getJdbcUrl(),
                "--spring.datasource.username=" + database.getUsername(),
                "--spring.main.banner-mode=off"));
        if (database.getPassword() != null) {
            arguments.add("--spring.datasource.password=" + database.getPassword());
        }
        arguments.addAll(List.of(settings));
        return run(new SpringApplicationBuilder(SampleBillingApplication.class), arguments.toArray(String[]::new));
    }

    /**
     * Runs an application that may start at the same moment as another application. The applications initialize logging
     * one after the other. Everything afterwards happens at the same time.
     */
    static ConfigurableApplicationContext run(SpringApplicationBuilder application, String... arguments) {
        logging.lock();
        try {
            // Spring Boot calls initializers after it has initialized logging, and before it refreshes the context.
            return application.initializers(prepared -> logging.unlock()).run(arguments);
        } finally {
            if (logging.isHeldByCurrentThread()) {
                logging.unlock();
            }
        }
    }

    public static Api api(ConfigurableApplicationContext instance) {
        return new Api(instance.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }
}
