package com.example.docs.leases;

import io.sagaspring.fence.FencingToken;

/** Refuses a token that is lower than the highest it has seen. */
interface Provider {

    String charge(long cents, FencingToken token);
}
