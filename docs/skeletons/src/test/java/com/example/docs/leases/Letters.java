package com.example.docs.leases;

import io.sagaspring.fence.FencingToken;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Stands in for a post office. A real post office would refuse a token lower than the highest token it has seen. */
@Component
class Letters {

    private static final Logger logger = LoggerFactory.getLogger(Letters.class);

    void send(String loop, FencingToken token) {
        logger.info("Letter of loop {} with token {}", loop, token.value());
    }

    void sendReport() {
        logger.info("Report");
    }
}
