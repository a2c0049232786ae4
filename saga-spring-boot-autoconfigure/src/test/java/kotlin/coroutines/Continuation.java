package kotlin.coroutines;

/** In the place of Kotlin's, which each suspending function has as its last parameter. */
public interface Continuation<T> {}
