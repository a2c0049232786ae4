package com.example.shop.order;

import io.sagaspring.definition.Requester;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@RequestMapping("/orders")
class OrderController {

    private static final Requester CLERK = Requester.of("clerk");

    private final Orders orders;
    private final Workflows workflows;

    OrderController(Orders orders, Workflows workflows) {
        this.orders = orders;
        this.workflows = workflows;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    OrderView place() {
        return OrderView.of(orders.save(new PurchaseOrder()));
    }

    @GetMapping("/{id}")
    OrderView one(@PathVariable long id) {
        return orders.findById(id)
                .map(OrderView::of)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
    }

    @PostMapping("/{id}/ship")
    TransitionOutcome ship(@PathVariable long id) {
        return workflows.run("order", id, "ship", CLERK);
    }

    record OrderView(
            @Nullable Long id, OrderStatus status, @Nullable String parcel) {

        static OrderView of(PurchaseOrder order) {
            return new OrderView(order.id(), order.status(), order.parcel());
        }
    }
}
