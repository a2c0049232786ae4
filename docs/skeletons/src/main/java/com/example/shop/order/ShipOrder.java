package com.example.shop.order;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.NonIdempotent;
import io.sagaspring.workflow.StepAction;
import java.util.Objects;
import org.springframework.stereotype.Component;

@Component
@NonIdempotent
class ShipOrder implements StepAction<PurchaseOrder> {

    private final Warehouse warehouse;

    ShipOrder(Warehouse warehouse) {
        this.warehouse = warehouse;
    }

    @Override
    public ActionResult run(PurchaseOrder order, ActionContext context) throws InterruptedException {
        order.sentAs(warehouse.ship(Objects.requireNonNull(order.id())));
        return ActionResult.success();
    }
}
