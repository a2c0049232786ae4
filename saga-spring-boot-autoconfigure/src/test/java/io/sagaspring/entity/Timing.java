package io.sagaspring.entity;

import io.sagaspring.entity.timed.Timed;

/** The types of properties and columns for versions that are times. */
enum Timing {
    MICROSECOND(Timed.ToTheMicrosecond.class, 1, true),
    MILLISECOND(Timed.ToTheMillisecond.class, 1_000, true),
    SECOND(Timed.ToTheSecond.class, 1_000_000, false),
    LOCAL(Timed.Local.class, 1, false),
    LOCAL_IN_ZONED(Timed.LocalInZoned.class, 1, true),
    DATE_IN_ZONED(Timed.DateInZoned.class, 10_000, true),
    TWO_TABLES(Timed.InTwoTables.class, 1, true);

    final Class<?> entity;

    /** The smallest difference between two versions, in microseconds. */
    final long tick;

    final boolean zoned;

    Timing(Class<?> entity, long tick, boolean zoned) {
        this.entity = entity;
        this.tick = tick;
        this.zoned = zoned;
    }

    String workflow() {
        return ClosingWorkflow.nameOf(entity);
    }

    String table() {
        return entity.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(java.util.Locale.ROOT);
    }
}
