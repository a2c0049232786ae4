package io.sagaspring.sample.billing;

import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

/** A client asked for something that is not there. */
final class NotFoundException extends ErrorResponseException {

    private static final long serialVersionUID = 1L;

    private NotFoundException(String detail) {
        super(HttpStatus.NOT_FOUND);
        setDetail(detail);
    }

    static NotFoundException of(String what, long id) {
        return new NotFoundException("There is no %s %d.".formatted(what, id));
    }
}
