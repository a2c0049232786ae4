package io.sagaspring.idempotency.method;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** An interface whose JSON names the concrete class. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
interface Typed {}
