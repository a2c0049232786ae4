package io.sagaspring.autoconfigure;

import io.sagaspring.run.Runs;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Runs that are due, or that another node has left. */
record RunsWork(Runs runs) implements OwnWork, SmartInitializingSingleton {

    /** Their code may need them, so that it is read when all beans are there. */
    @Override
    public void afterSingletonsInstantiated() {
        runs.requireCode();
    }

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
