package io.sagaspring.run;

import io.sagaspring.run.RunExecutions.Ending;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an activation of a run ends. It either {@link Ended ended} by itself or was {@link Left left}. {@link #match} takes a
 * method for each case, so the compiler rejects code that forgets one.
 */
sealed interface Exit {

    <T> T match(Cases<T> cases);

    /** Has a method for each case. */
    interface Cases<T> {

        T ended(Ended exit);

        T suspended(Suspended exit);

        T fenced(Fenced exit);

        T handedOver(HandedOver exit);

        T released(Released exit);

        T blocked(Blocked exit);

        T inDoubt(InDoubt exit);
    }

    /**
     * The code has returned or thrown. The ending is still to be written.
     *
     * @param ending what the run has come to
     * @param failure the exception that the code threw, or null
     */
    record Ended(Ending ending, @Nullable Throwable failure) implements Exit {

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.ended(this);
        }
    }

    /** The code was left before its end: {@link EarlyExit} throws an {@link Unwinding} through it. */
    sealed interface Left extends Exit {

        String why();

        @Nullable
        Throwable cause();
    }

    /**
     * The run waits. That is written, and another node may execute the run by now.
     *
     * @param pause how long it waits, or null if that is not known
     */
    record Suspended(@Nullable Duration pause) implements Left {

        @Override
        public String why() {
            return "The run waits.";
        }

        @Override
        public @Nullable Throwable cause() {
            return null;
        }

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.suspended(this);
        }
    }

    /**
     * The store has refused to write: another node may execute the run by now. No entry is written any more.
     *
     * @param cause the refusal
     */
    record Fenced(FencedException cause) implements Left {

        @Override
        public String why() {
            return "The run is not this node's any more.";
        }

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.fenced(this);
        }
    }

    /** This node closes before the next step begins. Another node continues at once. */
    record HandedOver() implements Left {

        @Override
        public String why() {
            return "The node closes.";
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
     * This node cannot continue, and any node may try again.
     *
     * @param why the reason in words
     * @param cause the exception behind it
     */
    record Released(String why, Throwable cause) implements Left {

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.released(this);
        }
    }

    /**
     * The journal and the code do not fit.
     *
     * @param why the reason in words
     * @param cause the exception behind it, or null
     */
    record Blocked(String why, @Nullable Throwable cause) implements Left {

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.blocked(this);
        }
    }

    /**
     * A person has to say whether a step took effect.
     *
     * @param why the reason in words
     * @param cause the exception behind it, or null
     */
    record InDoubt(String why, @Nullable Throwable cause) implements Left {

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.inDoubt(this);
        }
    }
}
