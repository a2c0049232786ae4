package com.example.docs.testing;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** Not the skeletons' application, but an empty one. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class BillingApplication {

    public static void main(String[] args) {
        SpringApplication.run(BillingApplication.class, args);
    }
}
