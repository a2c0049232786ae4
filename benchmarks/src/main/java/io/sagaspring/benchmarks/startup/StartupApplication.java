package io.sagaspring.benchmarks.startup;

import java.lang.management.ManagementFactory;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The smallest application with a data source. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class StartupApplication {

    public static void main(String[] args) {
        run(StartupApplication.class, Map.of(), args);
        reportReady();
    }

    static ConfigurableApplicationContext run(Class<?> source, Map<String, Object> settings, String[] args) {
        SpringApplication application = new SpringApplication(source);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setDefaultProperties(settings);
        return application.run(args);
    }

    /** Prints the time since the start of the process, and the heap after a garbage collection. */
    static void reportReady() {
        long millis = ManagementFactory.getRuntimeMXBean().getUptime();
        var memory = ManagementFactory.getMemoryMXBean();
        memory.gc();
        System.out.printf(
                "ready after %d ms with %d bytes%n",
                millis, memory.getHeapMemoryUsage().getUsed());
    }
}
