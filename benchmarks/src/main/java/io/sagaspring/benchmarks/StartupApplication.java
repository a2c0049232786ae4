package io.sagaspring.benchmarks;

import java.lang.management.ManagementFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/**
 * The smallest application with a data source. It says how long it took from the start of its process, and how much heap
 * is left after a collection.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class StartupApplication {

    static final String READY = "ready after %d ms with %d bytes%n";

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(StartupApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.run(args);
        long millis = ManagementFactory.getRuntimeMXBean().getUptime();
        var memory = ManagementFactory.getMemoryMXBean();
        memory.gc();
        System.out.printf(READY, millis, memory.getHeapMemoryUsage().getUsed());
    }
}
