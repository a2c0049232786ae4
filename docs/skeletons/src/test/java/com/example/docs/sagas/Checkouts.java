package com.example.docs.sagas;

import static java.time.Duration.ofSeconds;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.SagaResult;
import io.sagaspring.saga.Sagas;
import org.springframework.stereotype.Service;

@Service
class Checkouts {

    private final Sagas sagas;

    Checkouts(Sagas sagas) {
        this.sagas = sagas;
    }

    RunState checkOut(Order order) throws InterruptedException {
        SagaHandle checkout = sagas.start(CheckoutSaga.class, order);
        SagaResult result = sagas.await(checkout.id(), ofSeconds(10));
        return result.state();
    }
}
