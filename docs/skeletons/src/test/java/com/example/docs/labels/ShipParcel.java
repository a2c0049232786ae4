package com.example.docs.labels;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import org.springframework.stereotype.Component;

@Component
class ShipParcel implements DurableRun<String, String> {

    private final Courier courier;

    ShipParcel(Courier courier) {
        this.courier = courier;
    }

    @Override
    public String run(RunContext run, String parcel) {
        String carrier = run.step("book", String.class, () -> courier.book(parcel, run.idempotencyKey()));
        run.label("carrier", carrier);
        return run.awaitSignal("delivered", String.class);
    }
}
