package io.sagaspring.sample.web;

import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

/** A client asked for something that is not there. */
public final class NotFoundException extends ErrorResponseException {

    private static final long serialVersionUID = 1L;

    private NotFoundException(String detail) {
        super(HttpStatus.NOT_FOUND);
        setDetail(detail);
    }

    /**
     * Tells the client what is not there.
     *
     * @param what such as a billing
     * @param id which one
     * @return to be thrown
     */
    public static NotFoundException of(String what, long id) {
        return new NotFoundException("There is no %s %d.".formatted(what, id));
    }

    /**
     * Tells the client what is not there.
     *
     * @param what such as a dunning loop
     * @param name which one
     * @return to be thrown
     */
    public static NotFoundException of(String what, String name) {
        return new NotFoundException("There is no %s '%s'.".formatted(what, name));
    }
}
