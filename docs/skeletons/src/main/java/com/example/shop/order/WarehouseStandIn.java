package com.example.shop.order;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** Stands in for your warehouse; replace it. It takes a few seconds, so that you can try a second request meanwhile. */
@Component
class WarehouseStandIn implements Warehouse {

    private static final Logger logger = LoggerFactory.getLogger(WarehouseStandIn.class);

    private final Duration duration;

    WarehouseStandIn(@Value("${shop.warehouse.takes:5s}") Duration duration) {
        this.duration = duration;
    }

    @Override
    public String ship(long order) throws InterruptedException {
        logger.info("Packing order {}", order);
        Thread.sleep(duration.toMillis());
        logger.info("Sent order {}", order);
        return "parcel-" + order;
    }
}
