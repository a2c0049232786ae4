package io.sagaspring.idempotency;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that does its work once for each request id, and replies to repetitions what it replied then.
 *
 * <p>On a handler method of Spring MVC the request id is the header {@code Idempotency-Key}; status, some headers and body
 * are replayed byte for byte, and anything but 2xx frees the key. On any other bean method {@link #requestId} says where
 * the id is, the result is replayed as the method's return type, and an exception frees the key. Expressions are of SpEL,
 * and know the method's parameters by name ({@code #order}) and by number ({@code #p0}); those on a handler know the
 * variables of its path instead.
 *
 * <p>It may stand on an annotation of the application, which then stands for it.
 *
 * @since 0.1.0
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {

    /** The attribute of a request in which its handler finds the request id, to hand it on to a service. */
    String REQUEST_ID = "io.sagaspring.idempotency.requestId";

    /**
     * Where the request id is. Required on all but handler methods, which must not have it.
     *
     * @return an expression; where it is null, the method runs without protection
     */
    String requestId() default "";

    /**
     * What the request is about, as the application divides its data: the same id on another account is another request.
     *
     * @return an expression
     */
    String account() default "";

    /**
     * What is done. Class and method, or method and path of a handler, when not given; a literal that stays the same when
     * those change is better. Required on overloads that are both annotated.
     *
     * @return an expression: a literal stands in quotes
     */
    String operation() default "";

    /**
     * What else makes two requests the same. All arguments when not given, so that it changes with their fields; method,
     * path, query and body of a handler's request, which must not have it.
     *
     * @return an expression
     */
    String fingerprint() default "";

    /**
     * Whether the operation replaces its account, so that its key is found without it. Such a method has to say what its
     * {@link #fingerprint} is, because a repetition may come with the new account.
     *
     * @return whether it does
     */
    boolean changesAccount() default false;

    /**
     * Whether claim, work and reply are one commit, in the caller's transaction or in a new one. Not on handlers.
     *
     * @return whether they are
     */
    boolean sameTransaction() default false;

    /**
     * Whether a request without an id is refused.
     *
     * @return whether it is; otherwise it runs without protection
     */
    boolean required() default false;

    /**
     * For how long a repetition waits for the request that is being worked on, such as {@code 5s}.
     *
     * @return a duration, or a placeholder for one; it is refused at once when not given
     */
    String patience() default "";

    /**
     * Which results are failures: they are returned, not stored, and free the key. A {@code null} of which it can say
     * nothing is none. Not on handlers, whose status says so.
     *
     * @return an expression that knows {@code #result}
     */
    String unless() default "";
}
