package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import io.sagaspring.listener.ListenerEngine;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Delivers events to the durable listeners of this node, unless this node only stores events. */
record ListenersWork(ListenerEngine engine, Keeper keeper, Executor executor, boolean delivers)
        implements BackgroundWork, SmartInitializingSingleton {

    /**
     * Finds and checks the methods annotated with {@code @DurableListener}. All beans have to be created first, because
     * their proxies are not known before.
     */
    @Override
    public void afterSingletonsInstantiated() {
        engine.requireListeners();
    }

    @Override
    public void begin() {
        if (delivers) {
            engine.open(keeper, executor);
        }
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
