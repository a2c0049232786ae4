package io.sagaspring.run;

/** Is told what becomes of runs on this node. What it throws changes nothing. */
@FunctionalInterface
public interface RunListener {

    /**
     * Something became of a run.
     *
     * @param run the name of its code
     * @param id which run
     * @param event what became of it
     */
    void happened(String run, RunId id, RunEvent event);
}
