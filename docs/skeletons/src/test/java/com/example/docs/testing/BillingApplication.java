package com.example.docs.testing;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/**
 * An application for {@link LocalBillingApplicationTests} only. It does not scan for components, so it contains none of
 * the skeletons' code.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class BillingApplication {

    public static void main(String[] args) {
        SpringApplication.run(BillingApplication.class, args);
    }
}
