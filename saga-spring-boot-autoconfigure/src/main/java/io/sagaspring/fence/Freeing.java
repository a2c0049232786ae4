package io.sagaspring.fence;

/**
 * The result of an attempt of a person to free something that a node holds.
 *
 * @since 0.1.0
 */
public enum Freeing {
    /** It is free. The previous owner is fenced off. */
    FREED,
    /** It is not held with the given token. Nothing was changed. */
    NOT_HELD,
    /** A transaction that is still in progress has locked it. Nothing was changed. */
    LOCKED
}
