package io.sagaspring.run;

/** Starts runs for a run that does not wait for them. */
@FunctionalInterface
interface FireAndForgetRuns {

    /** Returns the run that has this key, which is started if there is none. */
    RunId start(String run, String key, Object input);
}
