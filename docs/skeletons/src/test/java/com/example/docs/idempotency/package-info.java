/** What docs/idempotency.md and docs/idempotency-http.md show. */
@NullMarked
package com.example.docs.idempotency;

import org.jspecify.annotations.NullMarked;
