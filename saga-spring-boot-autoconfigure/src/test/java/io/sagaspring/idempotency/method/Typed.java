package io.sagaspring.idempotency.method;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** An interface whose JSON says which class it was. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
interface Typed {}
