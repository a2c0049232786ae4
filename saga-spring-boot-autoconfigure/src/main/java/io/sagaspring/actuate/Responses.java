package io.sagaspring.actuate;

import io.sagaspring.operations.OperationResult;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Adds HTTP statuses to the results of operations. */
final class Responses {

    private static final int CONFLICT = 409;

    private Responses() {}

    static WebEndpointResponse<OperationResult> of(OperationResult result) {
        return of(result.result(), result);
    }

    static <T> WebEndpointResponse<T> of(OperationResult.Result result, T body) {
        return new WebEndpointResponse<>(
                body,
                switch (result) {
                    case ACCEPTED -> WebEndpointResponse.STATUS_OK;
                    case UNKNOWN -> WebEndpointResponse.STATUS_NOT_FOUND;
                    case REFUSED -> CONFLICT;
                });
    }
}
