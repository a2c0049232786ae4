package com.example.docs.testing;

import io.sagaspring.test.database.TestDatabase;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

class LocalBillingApplication {

    public static void main(String[] args) {
        SpringApplication.from(BillingApplication::main)
                .with(LocalDatabase.class)
                .run(args);
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class LocalDatabase {

        @Bean
        TestDatabase database() {
            return TestDatabase.create();
        }
    }
}
