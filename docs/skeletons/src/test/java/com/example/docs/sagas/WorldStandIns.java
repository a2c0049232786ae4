package com.example.docs.sagas;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Stands in for the services that your saga calls. Replace this class. A callback token is as secret as a password: do
 * not log it as this class does.
 */
@Configuration(proxyBeanMethods = false)
class WorldStandIns {

    private static final Logger logger = LoggerFactory.getLogger(WorldStandIns.class);

    @Bean
    World.Payments payments() {
        return new World.Payments() {

            @Override
            public String charge(Order order, String key) {
                logger.info("Charged {} cents, key {}", order.cents(), key);
                return "charge-" + order.id();
            }

            @Override
            public void refund(String keyOfCharge, String key) {
                logger.info("Refunded {}, key {}", keyOfCharge, key);
            }
        };
    }

    @Bean
    World.Courier courier() {
        return new World.Courier() {

            @Override
            public String ship(Order order, String execution, String callbackToken, String key) {
                logger.info("Collected. Play the courier:\nCHECKOUT={} TOKEN={}", execution, callbackToken);
                return "shipment-" + order.id();
            }

            @Override
            public void cancel(String keyOfShipment, String key) {
                logger.info("Cancelled {}, key {}", keyOfShipment, key);
            }
        };
    }

    @Bean
    World.Mailer mailer() {
        return (order, key) -> {
            logger.info("Sent the receipt of {}, key {}", order.id(), key);
            return "mail-" + order.id();
        };
    }
}
