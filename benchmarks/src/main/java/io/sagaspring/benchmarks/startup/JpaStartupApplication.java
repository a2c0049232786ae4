package io.sagaspring.benchmarks.startup;

import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** The smallest application with JPA: it has one entity, and does not use the library. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class JpaStartupApplication {

    public static void main(String[] args) {
        StartupApplication.run(JpaStartupApplication.class, Map.of(), args);
        StartupApplication.reportReady();
    }
}
