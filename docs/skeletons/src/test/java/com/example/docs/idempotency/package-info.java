/** The code on the pages docs/idempotency.md and docs/idempotency-http.md. */
@NullMarked
package com.example.docs.idempotency;

import org.jspecify.annotations.NullMarked;
