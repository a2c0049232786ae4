/**
 * Starts runs and sagas on time. The row of a schedule in the database decides when the schedule fires: each node
 * computes the next instant from that row, in the transaction that starts the run. So an instant fires at most once on
 * any number of nodes, whatever their clocks show. Applications annotate a run or a saga with {@link
 * io.sagaspring.schedule.RunSchedule}, and control schedules with {@link io.sagaspring.schedule.Schedules}. Start
 * reading at {@link io.sagaspring.schedule.RunSchedule}, then {@code ScheduleDecision}.
 *
 * <p>Of the public types, {@code PostgresScheduleStore}, {@code ScheduleCatalog}, {@code ScheduleEngine}, {@code ScheduleListener},
 * {@code ScheduleRow}, {@code ScheduleSettings}, {@code ScheduleSpec}, {@code ScheduleState}, {@code ScheduleStore} and
 * {@code ScheduleTerms} are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.schedule;

import org.jspecify.annotations.NullMarked;
