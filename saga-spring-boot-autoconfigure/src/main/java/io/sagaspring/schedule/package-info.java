/**
 * Starts runs and sagas on time. The row of a schedule in the database decides when it fires: each node computes the next instant from that
 * row, in the transaction that starts the run. So an instant fires at most once on any number of nodes, whatever their clocks show.
 * Applications annotate a run or a saga with {@link io.sagaspring.schedule.RunSchedule}, and control schedules with
 * {@link io.sagaspring.schedule.Schedules}. Start reading at {@link io.sagaspring.schedule.RunSchedule}, then
 * {@code ScheduleDecision}.
 */
@NullMarked
package io.sagaspring.schedule;

import org.jspecify.annotations.NullMarked;
