package io.sagaspring.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class SampleBillingApplication {

    public static void main(String[] args) {
        SpringApplication.run(SampleBillingApplication.class, args);
    }
}
