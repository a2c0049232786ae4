package io.sagaspring.schedule;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Starts the annotated run or saga at the times of a schedule. The input of the run or saga is a {@link Firing}:
 *
 * <pre>{@code
 * @Component
 * @RunSchedule(name = "dunning", cron = "0 30 2 * * *", zone = "Europe/Berlin")
 * class Dunning implements DurableRun<Firing, Void> {
 *     @Override
 *     public Void run(RunContext run, Firing firing) {
 *         run.step("remind", () -> reminders.send(firing.at()));
 *         return null;
 *     }
 * }
 * }</pre>
 *
 * <p>On any number of nodes, each instant starts at most one run. The strings may contain placeholders. If the cron
 * expression, the rate or the delay is {@code off} or {@code -}, the schedule is off on this node. The properties
 * {@code saga.schedules.by-name.<name>.*} override the annotation.
 *
 * @since 0.1.0
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RunSchedules.class)
public @interface RunSchedule {

    /**
     * Returns the name, which identifies the schedule in the database.
     *
     * @return 1 to 100 lower-case letters, digits and dashes
     */
    String name();

    /**
     * Returns the cron expression.
     *
     * @return six fields, beginning with the seconds, or a macro such as {@code @daily}; empty for none
     */
    String cron() default "";

    /**
     * Returns the time zone of the cron expression.
     *
     * @return the id of the zone, such as {@code Europe/Berlin}; UTC if it is empty
     */
    String zone() default "";

    /**
     * Returns the interval between two instants. The instants are the multiples of the interval since 1970-01-01T00:00Z.
     *
     * @return the interval, such as {@code 5m}; empty for none
     */
    String fixedRate() default "";

    /**
     * Returns the pause between the end of a run and the start of the next one.
     *
     * @return the pause, such as {@code 5m}; empty for none
     */
    String fixedDelay() default "";

    /**
     * Returns the treatment of missed instants, such as those that passed while no node was up.
     *
     * @return the treatment; by default, the latest missed instant fires
     */
    Missed missed() default Missed.LATEST;

    /**
     * Returns the greatest age of a missed instant that still fires.
     *
     * @return the age, such as {@code 12h}; empty for one day; allowed only with {@link Missed#ALL}
     */
    String missedWindow() default "";

    /**
     * Returns the treatment of an instant that comes before the run of the previous firing has ended.
     *
     * @return the treatment; by default, the instant is skipped
     */
    Overlap overlap() default Overlap.SKIP;

    /**
     * Returns the queue in which the runs of the firings begin. A run that waits in the queue has not ended, so it counts for {@link #overlap}.
     *
     * @return the name of a queue that the application declares; empty for none
     */
    String queue() default "";
}
