package io.sagaspring.run;

/** Starts runs for a run that does not wait for them. */
@FunctionalInterface
interface FireAndForgetRuns {

    /** Returns the run with this key, and starts it if there is none. */
    RunId start(String run, String key, Object input);
}
