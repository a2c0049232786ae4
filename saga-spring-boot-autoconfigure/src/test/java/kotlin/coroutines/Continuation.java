package kotlin.coroutines;

/** Replaces the Kotlin type that is the last parameter of each suspending function. */
public interface Continuation<T> {}
