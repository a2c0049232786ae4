package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import io.sagaspring.schedule.ScheduleEngine;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Fires the schedules that this node declares, unless {@code saga.schedules.enabled} is {@code false}. */
record SchedulesWork(ScheduleEngine engine, Keeper keeper, boolean fires)
        implements BackgroundWork, SmartInitializingSingleton {

    /**
     * Finds and checks the schedules. All beans have to be created first, because their annotations declare the
     * schedules.
     */
    @Override
    public void afterSingletonsInstantiated() {
        engine.requireSchedules();
    }

    @Override
    public void begin() {
        if (fires) {
            engine.open(keeper.loops());
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
