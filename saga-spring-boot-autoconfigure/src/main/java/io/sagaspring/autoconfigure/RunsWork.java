package io.sagaspring.autoconfigure;

import io.sagaspring.run.Runs;

/** Runs that are due, or that another node has left. */
record RunsWork(Runs runs) implements OwnWork {

    @Override
    public void begin() {
        runs.open();
    }

    @Override
    public void end() {
        runs.stop();
    }

    @Override
    public void awaitEnd() {
        runs.close();
    }
}
