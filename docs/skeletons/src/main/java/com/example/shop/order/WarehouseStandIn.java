package com.example.shop.order;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** To be replaced by your warehouse. It takes its time, so that you can press the button twice meanwhile. */
@Component
class WarehouseStandIn implements Warehouse {

    private static final Logger logger = LoggerFactory.getLogger(WarehouseStandIn.class);

    private final Duration takes;

    WarehouseStandIn(@Value("${shop.warehouse.takes:5s}") Duration takes) {
        this.takes = takes;
    }

    @Override
    public String ship(long order) throws InterruptedException {
        logger.info("Packing order {}", order);
        Thread.sleep(takes.toMillis());
        logger.info("Sent order {}", order);
        return "parcel-" + order;
    }
}
