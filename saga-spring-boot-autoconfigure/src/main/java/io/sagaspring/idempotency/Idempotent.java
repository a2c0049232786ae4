package io.sagaspring.idempotency;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that is executed once per request id. A repeated call gets the stored reply of the first call.
 *
 * <p>On a handler method of Spring MVC, the request id is the header {@code Idempotency-Key}. Status, some headers and
 * the bytes of the body are replayed. Any status other than 2xx frees the key.
 *
 * <p>On any other bean method, {@link #requestId} is an expression for the id. The result is replayed as the method's
 * return type, and an exception frees the key.
 *
 * <p>In both cases, an {@code OutcomeUnknownException} does not free the key if the key's claim and reply are committed
 * separately.
 *
 * <p>Expressions are written in SpEL. They can use the method's parameters by name ({@code #order}) and by number
 * ({@code #p0}). On a handler, they can use the path variables instead.
 *
 * <p>You can use this annotation as a meta-annotation.
 *
 * @since 0.1.0
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {

    /** The request attribute that holds the request id. A handler can pass the id on to a service. */
    String REQUEST_ID = "io.sagaspring.idempotency.requestId";

    /**
     * The request id. This attribute is required, except on handler methods, where it is not allowed.
     *
     * @return an expression; if its value is null, the method runs without protection
     */
    String requestId() default "";

    /**
     * The part of the application's data that the request changes. The same id with another account identifies another
     * request.
     *
     * @return an expression
     */
    String account() default "";

    /**
     * The name of the operation. The default is the class and method, or the HTTP method and path of a handler. Prefer
     * a literal, which stays the same when you rename the class, the method or the path. This attribute is required if
     * two overloads are annotated.
     *
     * @return an expression; write a literal in quotes
     */
    String operation() default "";

    /**
     * The content that must be equal in two requests with the same key. The default is all arguments, so a new field in
     * one of them changes the fingerprint. This attribute is not allowed on handlers, whose fingerprint always consists
     * of method, path, query, content type and body.
     *
     * @return an expression
     */
    String fingerprint() default "";

    /**
     * Declares that the operation replaces its account by another, such as a reset that closes one account and opens a
     * new one. The key is then looked up without the account. On the method of a bean, also set a {@link #fingerprint}
     * that leaves the account out, because a repeated call may name the new account.
     *
     * @return true if the operation replaces its account
     */
    boolean changesAccount() default false;

    /**
     * Commits claim, work and reply together, in the caller's transaction or in a new one. This attribute is not
     * allowed on handlers.
     *
     * @return true for one commit
     */
    boolean sameTransaction() default false;

    /**
     * Refuses a request without an id. By default such a request runs without protection.
     *
     * @return true to refuse such a request
     */
    boolean required() default false;

    /**
     * The longest time that a duplicate request waits for the request in progress, such as {@code 5s}. By default, the
     * duplicate is refused at once. This attribute is not allowed with {@link #sameTransaction}, where a duplicate
     * waits for up to {@code saga.idempotency.transaction-patience}.
     *
     * @return a duration, or a placeholder for one
     */
    String patience() default "";

    /**
     * The condition that a result must meet to count as a failure. A failure is returned but not stored, and frees the
     * key. If the expression cannot be evaluated for a result of {@code null}, that result is not a failure. This
     * attribute is not allowed on handlers, where the status decides.
     *
     * @return an expression that can use {@code #result}
     */
    String unless() default "";
}
