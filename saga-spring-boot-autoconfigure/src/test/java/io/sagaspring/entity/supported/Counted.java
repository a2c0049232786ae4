package io.sagaspring.entity.supported;

/** An entity whose version is a time. A trigger counts the changes of the version. */
public interface Counted {

    /** Returns the number of times that the version has changed. */
    long changes();
}
