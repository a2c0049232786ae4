package io.sagaspring.workflow;

/**
 * Rethrows an action's own exception unchanged, even if it is checked. If the exception were wrapped, exception
 * handlers would not find it.
 */
final class SneakyThrow {

    private SneakyThrow() {}

    static RuntimeException thrown(Throwable failure) {
        return SneakyThrow.<RuntimeException>rethrow(failure);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // The cast is unchecked on purpose.
    private static <T extends Throwable> T rethrow(Throwable failure) throws T {
        throw (T) failure;
    }
}
