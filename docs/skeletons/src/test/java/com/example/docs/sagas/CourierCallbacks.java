package com.example.docs.sagas;

import io.sagaspring.saga.CallbackResult;
import io.sagaspring.saga.NoSuchCallbackException;
import io.sagaspring.saga.Sagas;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class CourierCallbacks {

    private static final String TOKEN = "X-Callback-Token";

    private final Sagas sagas;

    CourierCallbacks(Sagas sagas) {
        this.sagas = sagas;
    }

    record Delivery(String signedBy) {}

    @PostMapping("/checkouts/{id}/delivered")
    CallbackResult delivered(
            @PathVariable String id, @RequestHeader(TOKEN) String token, @RequestBody Delivery delivery) {
        return sagas.callback(id, "arrange_fulfillment", token).complete(delivery);
    }

    @ExceptionHandler(NoSuchCallbackException.class)
    @ResponseStatus(HttpStatus.NOT_FOUND)
    void unknown() {}
}
