package io.sagaspring.autoconfigure;

import io.sagaspring.run.RunEngine;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Runs that are due, or that another node has left. */
record RunsWork(RunEngine engine) implements BackgroundWork, SmartInitializingSingleton {

    /** The code of runs may need other beans, so that it is read when all beans are there. */
    @Override
    public void afterSingletonsInstantiated() {
        engine.requireCode();
    }

    @Override
    public void begin() {
        engine.open();
    }

    @Override
    public void end() {
        engine.stop();
    }

    @Override
    public void awaitEnd() {
        engine.close();
    }
}
