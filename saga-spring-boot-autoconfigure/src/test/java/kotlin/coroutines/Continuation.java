package kotlin.coroutines;

/** Replaces Kotlin's type, which is the last parameter of each suspending function. */
public interface Continuation<T> {}
