package io.sagaspring.run;

/** Starts runs on behalf of a run that does not wait for them. */
@FunctionalInterface
interface FireAndForgetRuns {

    /** Returns the run with this key, starting it if it does not exist. */
    RunId start(String run, String key, Object input);
}
