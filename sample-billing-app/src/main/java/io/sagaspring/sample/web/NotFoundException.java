package io.sagaspring.sample.web;

import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

/** Thrown when a client asks for something that does not exist. */
public final class NotFoundException extends ErrorResponseException {

    private static final long serialVersionUID = 1L;

    private NotFoundException(String detail) {
        super(HttpStatus.NOT_FOUND);
        setDetail(detail);
    }

    /**
     * Creates an exception whose message tells the client what does not exist.
     *
     * @param what the kind of object, such as a billing
     * @param id the id
     * @return the exception
     */
    public static NotFoundException of(String what, long id) {
        return new NotFoundException("There is no %s %d.".formatted(what, id));
    }

    /**
     * Creates an exception whose message tells the client what does not exist.
     *
     * @param what the kind of object, such as a dunning loop
     * @param name the name
     * @return the exception
     */
    public static NotFoundException of(String what, String name) {
        return new NotFoundException("There is no %s '%s'.".formatted(what, name));
    }
}
