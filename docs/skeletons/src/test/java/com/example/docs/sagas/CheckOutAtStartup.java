package com.example.docs.sagas;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.stereotype.Component;

/** Checks an order out when the application starts. At the next start, the key leads to the same execution. */
@Component
class CheckOutAtStartup implements ApplicationRunner {

    private static final Logger logger = LoggerFactory.getLogger(CheckOutAtStartup.class);

    private final Checkouts checkouts;

    CheckOutAtStartup(Checkouts checkouts) {
        this.checkouts = checkouts;
    }

    @Override
    public void run(ApplicationArguments arguments) throws InterruptedException {
        logger.info("The checkout is {}", checkouts.checkOut(new Order("o-1", 4200, "tok_1")));
    }
}
