package io.sagaspring.entity;

import java.util.List;

/**
 * Thrown when the thread's persistence context holds changes that are not saved. A step loads a fresh entity, so these
 * changes would be lost.
 *
 * @since 0.1.0
 */
public final class DirtyContextException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DirtyContextException(List<String> changed) {
        super(
                ("The persistence context of this thread, kept open by open-in-view, holds changes that are not saved: %s. A"
                                + " step acts on a fresh entity, so they would be lost. Save them in a separate transaction"
                                + " before running the step, or make them in its action.")
                        .formatted(
                                changed.isEmpty()
                                        ? "new or removed entities, or collections"
                                        : String.join(", ", changed.subList(0, Math.min(changed.size(), 10)))));
    }
}
