package io.sagaspring.lease;

/**
 * Is told what becomes of leases, on the thread where it happens: one that is lost on a thread that renews others, so that it
 * must not wait for anything. What it throws is logged, and changes nothing.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LeaseListener {

    /**
     * Something has become of a name.
     *
     * @param name the name
     * @param event what became of it
     */
    void happened(LeaseName name, LeaseEvent event);
}
