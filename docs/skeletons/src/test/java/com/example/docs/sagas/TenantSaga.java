package com.example.docs.sagas;

import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;

/**
 * A saga whose key has an owner. The application sets the tenant from the authentication, never from the client's
 * input.
 */
class TenantSaga implements Saga<TenantSaga.TenantOrder> {

    record TenantOrder(String tenant, String id) {}

    @Override
    public void define(SagaDefinition<TenantOrder> saga) {
        saga.idempotencyKey(order -> "checkout:" + order.tenant() + ":" + order.id());
        saga.step("confirm", context -> "confirmed for " + context.input().tenant());
    }
}
