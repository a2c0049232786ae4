package com.example.shop.checkout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Stands in for your courier; replace it. A callback token is as secret as a password: do not log it as this class
 * does.
 */
@Component
class CourierStandIn implements Courier {

    private static final Logger logger = LoggerFactory.getLogger(CourierStandIn.class);

    private final int port;

    CourierStandIn(@Value("${server.port:8080}") int port) {
        this.port = port;
    }

    @Override
    public String collect(String checkout, String token, String key) {
        logger.info("Collected. Play the courier:\nCHECKOUT=localhost:{}/checkouts/{} TOKEN={}", port, checkout, token);
        return "parcel-" + key;
    }
}
