package com.example.docs.sagas;

import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;

/** A saga whose key has an owner. The tenant is put into the order by whoever has authenticated it, never by the client. */
class TenantSaga implements Saga<TenantSaga.TenantOrder> {

    record TenantOrder(String tenant, String id) {}

    @Override
    public void define(SagaDefinition<TenantOrder> saga) {
        saga.idempotencyKey(order -> "checkout:" + order.tenant() + ":" + order.id());
        saga.step("confirm", context -> "confirmed for " + context.input().tenant());
    }
}
