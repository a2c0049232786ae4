package io.sagaspring.workflow;

/** Lets an action's own exception through unchanged, also where it is checked: a wrapper would hide it from handlers. */
final class SneakyThrow {

    private SneakyThrow() {}

    static RuntimeException thrown(Throwable failure) {
        return SneakyThrow.<RuntimeException>rethrow(failure);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Nothing is checked here: that is the point.
    private static <T extends Throwable> T rethrow(Throwable failure) throws T {
        throw (T) failure;
    }
}
