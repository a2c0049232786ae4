package io.sagaspring.run;

import io.sagaspring.run.RunExecutions.Ending;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The way in which the execution of a run ends. The code has {@link Ended ended} on its own, or was
 * {@link Unwound unwound}. {@link #match} takes an object with a method for each case, so the compiler rejects code
 * that forgets a case.
 */
sealed interface Exit {

    <T> T match(Cases<T> cases);

    /** A method for each case. */
    interface Cases<T> {

        T ended(Ended exit);

        T suspended(Suspended exit);

        T fenced(Fenced exit);

        T handedOver(HandedOver exit);

        T released(Released exit);

        T interrupted(Interrupted exit);

        T blocked(Blocked exit);

        T inDoubt(InDoubt exit);
    }

    /**
     * The code returned or threw an exception. The end is not stored yet.
     *
     * @param ending the end of the run
     * @param returned the object that the code returned, or null if it returned none or threw an exception
     * @param failure the exception that the code threw, or null
     */
    record Ended(
            Ending ending,
            @Nullable Object returned,
            @Nullable Throwable failure) implements Exit {

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.ended(this);
        }
    }

    /** The code was exited before its end: {@link EarlyExit} threw an {@link Unwinding} through it. */
    sealed interface Unwound extends Exit {

        String why();

        @Nullable
        Throwable cause();
    }

    /**
     * The run waits. This state is already stored, so another node may now execute the run.
     *
     * @param pause the time until the run is due; null if only its deadline, or something that is sent to it, makes it
     *     due
     * @param event the event of which listeners are notified
     * @param cause the failure of a step that is attempted again after the pause, or null
     */
    record Suspended(
            @Nullable Duration pause,
            RunEvent event,
            @Nullable Throwable cause) implements Unwound {

        @Override
        public String why() {
            return "The run waits.";
        }

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.suspended(this);
        }
    }

    /**
     * The store rejected a write, so another node may now execute the run. This node writes no more entries.
     *
     * @param cause the exception that the store threw
     */
    record Fenced(FencedException cause) implements Unwound {

        @Override
        public String why() {
            return "This node no longer executes the run.";
        }

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.fenced(this);
        }
    }

    /** This node is shutting down and does not begin the next step. Another node can continue the run immediately. */
    record HandedOver() implements Unwound {

        @Override
        public String why() {
            return "This node is shutting down.";
        }

        @Override
        public @Nullable Throwable cause() {
            return null;
        }

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.handedOver(this);
        }
    }

    /**
     * This node cannot continue the run. After a pause, any node can try again.
     *
     * @param why the reason, for the log and for the run's error
     * @param cause the underlying exception
     */
    record Released(String why, Throwable cause) implements Unwound {

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.released(this);
        }
    }

    /**
     * Someone other than the library has interrupted the caller's thread, which executes the run. Any node can continue
     * the run at once.
     *
     * @param cause the exception with which the code ended
     */
    record Interrupted(Throwable cause) implements Unwound {

        @Override
        public String why() {
            return "The calling thread was interrupted.";
        }

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.interrupted(this);
        }
    }

    /**
     * The run cannot continue, for example because its journal does not fit the code, or because stored data cannot be
     * read.
     *
     * @param why the reason, for the log and for the run's error
     * @param cause the underlying exception, or null
     */
    record Blocked(String why, @Nullable Throwable cause) implements Unwound {

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.blocked(this);
        }
    }

    /**
     * A person must decide whether a step took effect.
     *
     * @param why the reason, for the log and for the run's error
     * @param cause the underlying exception, or null
     */
    record InDoubt(String why, @Nullable Throwable cause) implements Unwound {

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.inDoubt(this);
        }
    }
}
