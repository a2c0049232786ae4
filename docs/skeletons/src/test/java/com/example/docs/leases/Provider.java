package com.example.docs.leases;

import io.sagaspring.fence.FencingToken;

/** A payment provider that refuses a token lower than the highest token it has seen. */
interface Provider {

    String charge(long cents, FencingToken token);
}
