package io.sagaspring.listener;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Calls a method of a bean for each event that is published with Spring's {@code ApplicationEventPublisher}. The event is stored in the
 * transaction of its publisher, and delivered at least once after the commit, on any node. Outside a transaction, the event is stored
 * immediately.
 *
 * <p>The method has one parameter for the event, and may have another one of type {@link Delivery}. It is called outside any transaction,
 * unless the listener is {@link #transactional()}. If it throws an exception, the next attempt follows after a pause. After the last attempt, the delivery is parked for a person.
 *
 * <p>A listener gets the events of its parameter's class and of subclasses. Several listeners of an event are independent of each other.
 *
 * @since 0.1.0
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface DurableListener {

    /**
     * Returns the expression for the key of an event, such as {@code #placed.orderId()}. Events with the same key are delivered one after
     * the other, in the order in which they were stored. A failing or parked delivery holds up the later ones of its key, and no others.
     *
     * @return an expression that can use the event by the name of its parameter or as {@code #p0}; empty if the order does not matter
     */
    String key() default "";

    /**
     * Returns the id of the listener. Deliveries are stored with this id, so set it before you rename the class or the method.
     *
     * @return the id, or an empty text for the name of the class and the method
     */
    String id() default "";

    /**
     * Returns the number of attempts before a delivery is parked.
     *
     * @return the number, at least 1; the property {@code saga.listeners.by-id.<id>.attempts} has precedence
     */
    int attempts() default 10;

    /**
     * Returns the name of a bean that decides about further attempts. It replaces {@link #attempts()} and the pauses of the properties.
     *
     * @return the name of a bean of type {@link io.sagaspring.run.Retry} or {@link org.springframework.core.retry.RetryPolicy}, or an
     *     empty text
     */
    String retry() default "";

    /**
     * Returns true to call the method in a transaction of the database that has the library's tables. The commit of the method's writes also
     * ends the delivery, so these writes take effect exactly once. If the method throws an exception, or another node has taken over the
     * delivery, the writes are rolled back.
     *
     * @return true for a transaction, false to call the method outside any transaction
     */
    boolean transactional() default false;
}
