/**
 * Durable listeners of application events. The transaction of the publisher writes a row for each listener, and any
 * node delivers the event at least once. Rows of one key are in one line, and only the head of a line is delivered.
 * Applications annotate a method with {@link io.sagaspring.listener.DurableListener}, and see and decide about
 * deliveries with {@link io.sagaspring.listener.Deliveries}. Start reading at {@link
 * io.sagaspring.listener.DurableListener}, then {@code ListenerEngine} and {@code DeliveryTable}.
 *
 * <p>Of the public types, {@code DeliveryEvent}, {@code DeliveryObserver}, {@code DeliveryStore}, {@code ListenerCatalog},
 * {@code ListenerEngine}, {@code ListenerSettings}, {@code PostgresDeliveryStore} and {@code PublishedEvents} are for the library's other
 * packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.listener;

import org.jspecify.annotations.NullMarked;
