package com.example.shop.checkout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Stands in for your payment provider; replace it. */
@Component
class PaymentsStandIn implements Payments {

    private static final Logger logger = LoggerFactory.getLogger(PaymentsStandIn.class);

    @Override
    public String charge(String order, long cents, String key) {
        logger.info("Charged {} cents for order {}, key {}", cents, order, key);
        return "charge-" + order;
    }

    @Override
    public void refund(String order, String key) {
        logger.info("Refunded order {}, key {}", order, key);
    }
}
