package io.sagaspring.actuate;

import io.sagaspring.schedule.ScheduleView;
import java.time.Instant;
import java.util.List;

/** The schedules in the database at a time of its clock. */
record ScheduleFacts(Instant now, List<ScheduleView> schedules) {}
