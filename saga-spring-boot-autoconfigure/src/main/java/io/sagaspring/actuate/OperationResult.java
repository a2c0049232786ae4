package io.sagaspring.actuate;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * The result of an operation of an endpoint.
 *
 * @param result the result in one word
 * @param message the result in a sentence
 */
record OperationResult(Result result, String message) {

    private static final int CONFLICT = 409;

    /** The kinds of results. */
    enum Result {
        /** The operation was done. */
        ACCEPTED,
        /** The current state does not allow the operation. */
        REFUSED,
        /** There is nothing with this id or name. */
        UNKNOWN
    }

    static OperationResult accepted(String message) {
        return new OperationResult(Result.ACCEPTED, message);
    }

    static OperationResult refused(String message) {
        return new OperationResult(Result.REFUSED, message);
    }

    static OperationResult unknown(String message) {
        return new OperationResult(Result.UNKNOWN, message);
    }

    /** Adds the HTTP status that fits the result. */
    WebEndpointResponse<OperationResult> response() {
        return new WebEndpointResponse<>(
                this,
                switch (result) {
                    case ACCEPTED -> WebEndpointResponse.STATUS_OK;
                    case UNKNOWN -> WebEndpointResponse.STATUS_NOT_FOUND;
                    case REFUSED -> CONFLICT;
                });
    }
}
