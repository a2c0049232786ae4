package io.sagaspring.lease;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Ensures that only one caller at a time runs a method of a bean, across all nodes:
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
 * <p>The lease is acquired before the method begins, renewed while it runs, and released when it returns or throws. If
 * the lease is lost, the method is interrupted and its caller gets a {@link LeaseLostException}. To end the work under
 * the name, the method calls {@code Lease.current().complete(…)}. The method is then not run again for that name until
 * {@code saga.leases.retention} has passed.
 *
 * <p>The method gets its lease from {@link Lease#current()} and not from a parameter. There are three reasons: a
 * scheduled method has no parameters, callers have no lease to pass, and code that the method calls may also need the
 * token.
 *
 * <p>The annotation works through a proxy, like {@code @Transactional}. A call from within the same object bypasses the
 * proxy. The order of the advice has these consequences:
 *
 * <ul>
 *   <li>The lease encloses the method's transactions, retries and caches: they are complete, and committed, before the
 *       lease is released. So do not call the method inside a transaction.
 *   <li>{@code @Idempotent} encloses the lease: a duplicate request gets the stored reply even if another caller holds
 *       the lease. If the lease cannot be acquired, the key becomes free again.
 * </ul>
 *
 * <p>A lease is not reentrant. If the method calls another method under the same name, that call cannot acquire the
 * lease, even on the same thread.
 *
 * <p>You can use this annotation as a meta-annotation.
 *
 * @since 0.1.0
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Leased {

    /** The behavior of a call if another caller holds the lease, or if the work under the name is complete. */
    enum IfTaken {
        /** The call throws a {@link LeaseRefusedException}. */
        THROW,
        /** The call returns without running the method. Allowed only for methods that return {@code void}. */
        SKIP
    }

    /**
     * The name of the lease, as a SpEL expression. The expression can use the method's parameters by name ({@code
     * #loopId}) or by number ({@code #p0}).
     *
     * <p>The result must be a {@link LeaseName} or a simple value such as a string or a number. Other objects are
     * rejected, because their string form may differ from call to call.
     *
     * @return the expression, with literals in quotes
     */
    String value();

    /**
     * The longest time that a call waits for the lease, such as {@code 5s}.
     *
     * @return a duration, or a placeholder for one; if empty, the call does not wait
     */
    String patience() default "";

    /**
     * The duration of the lease after its last heartbeat. The duration must not be shorter than {@code
     * saga.leases.ttl}.
     *
     * @return a duration, or a placeholder for one; if empty, {@code saga.leases.ttl} applies
     */
    String ttl() default "";

    /**
     * True if the name belongs to no tenant, so that it has one owner among all tenants. By default, the name belongs
     * to the current tenant.
     *
     * @return true for one lease for all tenants
     */
    boolean global() default false;

    /**
     * The behavior of a call that does not get the lease.
     *
     * @return {@link IfTaken#THROW} or {@link IfTaken#SKIP}
     */
    IfTaken ifTaken() default IfTaken.THROW;
}
