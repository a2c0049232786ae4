package com.example.docs.sagas;

import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;

/** A saga whose key has an owner. The application sets the user from the authentication, never from the client's input. */
class OwnedSaga implements Saga<OwnedSaga.OwnedOrder> {

    record OwnedOrder(String user, String id) {}

    @Override
    public void define(SagaDefinition<OwnedOrder> saga) {
        saga.idempotencyKey(order -> "checkout:" + order.user() + ":" + order.id());
        saga.step("confirm", context -> "confirmed for " + context.input().user());
    }
}
