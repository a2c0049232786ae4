package io.sagaspring.actuate;

import io.sagaspring.schedule.ScheduleView;
import java.time.Instant;
import java.util.List;

/** The schedules in the database, and the time of the database clock at which they were read. */
record ScheduleFacts(Instant now, List<ScheduleView> schedules) {}
