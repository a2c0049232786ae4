package com.example.docs.leases;

import io.sagaspring.fence.FencingToken;

/** A post office that refuses a token lower than the highest one it has seen. */
interface Letters {

    void send(String loop, FencingToken token);

    void sendReport();
}
