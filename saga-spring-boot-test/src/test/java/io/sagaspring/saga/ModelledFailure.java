package io.sagaspring.saga;

import io.sagaspring.saga.Script.Attempt;
import org.jspecify.annotations.Nullable;

/** The failure of an attempt of a modelled step. The step is retried only after some kinds of failures. */
record ModelledFailure(String type, boolean retried) {

    StepState state() {
        return type.equals(StepError.TIMEOUT) ? StepState.TIMED_OUT : StepState.FAILED;
    }

    static @Nullable ModelledFailure of(Attempt scripted) {
        return switch (scripted.outcome()) {
            case RETURN -> null;
            case THROW -> new ModelledFailure(IllegalStateException.class.getName(), true);
            case REFUSE -> new ModelledFailure(IllegalArgumentException.class.getName(), false);
            case TIME_OUT, TIME_OUT_AND_RETURN -> new ModelledFailure(StepError.TIMEOUT, true);
        };
    }
}
