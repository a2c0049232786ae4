package io.sagaspring.autoconfigure;

import io.sagaspring.run.RunEngine;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Executes runs that are due, or whose previous owner has stopped. */
record RunsWork(RunEngine engine) implements BackgroundWork, SmartInitializingSingleton {

    /**
     * Finds and checks the code of the runs. All beans have to be created first, because the code may need other beans.
     */
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
