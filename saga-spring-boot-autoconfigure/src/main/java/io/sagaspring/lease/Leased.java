package io.sagaspring.lease;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of a bean that only one caller at a time runs, on whatever node:
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 3 * * *")
 * @Leased(value = "'dunning'", ifTaken = IfTaken.SKIP)
 * public void dunAll() { … }
 *
 * @Leased("'dunning/' + #loopId")
 * public void dun(String loopId) {
 *     remote.send(letter, Lease.current().token());
 * }
 * }</pre>
 *
 * <p>The lease is acquired before the method begins, kept alive while it runs, and given up when it has ended. When it is
 * lost, the method is interrupted, and its caller is thrown a {@link LeaseLostException}. Work that is at its end is
 * completed by the method itself, with {@code Lease.current().complete(…)}, and is not begun again.
 *
 * <p>The method is told its lease by {@link Lease#current()}, and not by a parameter: a scheduled method has none, nobody
 * who calls it has anything to pass, and what the method calls may need the token, too.
 *
 * <p>The advice comes before transactions, retries and caches, so that what they do is done under the lease, and committed
 * when it is given up. So it must not be called inside of a transaction. It comes after {@code @Idempotent}, so that a
 * repetition is replayed whoever has the lease; a call that is refused the lease frees its key. It stands in a proxy, like
 * that of {@code @Transactional}: a call from within the same object does not go through it. A lease is nobody's twice: a
 * method that calls one of the same name, on the same thread too, finds it taken.
 *
 * <p>It may stand on an annotation of the application, which then stands for it.
 *
 * @since 0.1.0
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Leased {

    /** What becomes of a call whose lease somebody else has, or whose work is at its end. */
    enum IfTaken {
        /** Its caller is thrown a {@link LeaseRefusedException}. */
        THROW,
        /** It returns at once, and nothing is done. Only methods that return nothing may do so. */
        SKIP
    }

    /**
     * The name that is acquired: a {@link LeaseName}, or what one is made of, such as a text or a number. It is an expression
     * of SpEL that knows the method's parameters by name ({@code #loopId}) and by number ({@code #p0}). An object without a
     * {@code toString} of its own is refused: it would be another name each time.
     *
     * @return an expression: a literal stands in quotes
     */
    String value();

    /**
     * For how long a call waits for who has the name, such as {@code 5s}.
     *
     * @return a duration, or a placeholder for one; it does not wait when not given
     */
    String patience() default "";

    /**
     * For how long the lease outlives a node that is silent, not less than {@code saga.leases.ttl}.
     *
     * @return a duration, or a placeholder for one; {@code saga.leases.ttl} when not given
     */
    String ttl() default "";

    /**
     * What becomes of a call that does not get the lease.
     *
     * @return whether its caller is told
     */
    IfTaken ifTaken() default IfTaken.THROW;
}
