package io.sagaspring.chaos;

import static io.sagaspring.chaos.HaltAtStatement.haltIf;

import io.sagaspring.chaos.HaltAtStatement.Moment;
import io.sagaspring.chaos.Mover.Body;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Where a node may die. In the names, b is before, c between the last statement and its commit, u with the commit's answer
 * on the way, d after, and e0 and e1 before and after an effect.
 */
enum CrashPoint {
    CLAIM_B(Does.SHIP, End.UNTOUCHED, When.BEFORE, EngineStatement.CLAIM),
    CLAIM_D(Does.SHIP, End.FREED, When.AFTER, EngineStatement.CLAIM),
    ACT_E0(Does.SHIP, End.FREED, When.ACTION_BEGUN, EngineStatement.NONE),
    ACT_E1(Does.SHIP, End.FREED, When.ACTION_WRITTEN, EngineStatement.NONE),
    BEAT_B(Does.LINGER, End.FREED, When.BEFORE, EngineStatement.RENEWAL),
    BEAT_D(Does.LINGER, End.FREED, When.AFTER, EngineStatement.RENEWAL),
    FINALISE_B(Does.SHIP, End.FREED, When.BEFORE, EngineStatement.FENCE),
    FINALISE_C(Does.SHIP, End.FREED, When.AFTER, EngineStatement.FENCE),
    FINALISE_U(Does.SHIP, End.SHIPPED, When.AFTER_COMMIT_OF, EngineStatement.FENCE),
    FINALISE_D(Does.SHIP, End.SHIPPED, When.STEP_RETURNED, EngineStatement.NONE),
    RELEASE_B(Does.FAIL, End.FREED, When.BEFORE, EngineStatement.FENCE),
    RELEASE_FLIPPED(Does.FAIL, End.FREED, When.AFTER, EngineStatement.FLIP_BACK),
    RELEASE_C(Does.FAIL, End.FREED, When.BEFORE_COMMIT_OF, EngineStatement.FENCE),
    RELEASE_D(Does.FAIL, End.FREED, When.AFTER_COMMIT_OF, EngineStatement.FENCE),
    SWEEP_B(Does.SWEEP, End.FREED, When.BEFORE, EngineStatement.LOCK_OF_STUCK),
    SWEEP_LOCKED(Does.SWEEP, End.FREED, When.AFTER, EngineStatement.LOCK_OF_STUCK),
    SWEEP_FLIPPED(Does.SWEEP, End.FREED, When.AFTER, EngineStatement.FLIP_BACK),
    SWEEP_C(Does.SWEEP, End.FREED, When.AFTER, EngineStatement.FENCE),
    SWEEP_D(Does.SWEEP, End.FREED, When.AFTER_COMMIT_OF, EngineStatement.FENCE),
    PICK_UP_B(Does.SHIP, End.SHIPPED, When.BEFORE, EngineStatement.DUE_PICK_UP),
    PICK_UP_D(Does.SHIP, End.SHIPPED, When.AFTER, EngineStatement.DUE_PICK_UP),
    AFTER_EFFECT_E0(Does.SHIP, End.SHIPPED, When.ARRIVING, EngineStatement.NONE),
    AFTER_EFFECT_E1(Does.SHIP, End.SHIPPED, When.ARRIVED, EngineStatement.NONE),
    DONE_B(Does.SHIP, End.SHIPPED, When.BEFORE, EngineStatement.DUE_REMOVAL),
    DONE_D(Does.SHIP, End.SHIPPED, When.AFTER, EngineStatement.DUE_REMOVAL);

    /** What the node is doing when it dies. */
    enum Does {
        SHIP,
        /** The action reports failure, so that the claim is released. */
        FAIL,
        /** The action lasts until the node is dead. */
        LINGER,
        /** Its janitor frees what somebody else has left. */
        SWEEP
    }

    /** Where the others must bring the crate. */
    enum End {
        UNTOUCHED,
        FREED,
        SHIPPED
    }

    private enum When {
        BEFORE(Moment.BEFORE),
        AFTER(Moment.AFTER),
        BEFORE_COMMIT_OF(Moment.BEFORE_COMMIT),
        AFTER_COMMIT_OF(Moment.AFTER_COMMIT),
        ACTION_BEGUN(null),
        ACTION_WRITTEN(null),
        STEP_RETURNED(null),
        ARRIVING(null),
        ARRIVED(null);

        private final @Nullable Moment moment;

        When(@Nullable Moment moment) {
            this.moment = moment;
        }
    }

    private final Does does;
    private final End end;
    private final When when;
    private final EngineStatement statement;

    CrashPoint(Does does, End end, When when, EngineStatement statement) {
        this.does = does;
        this.end = end;
        this.when = when;
        this.statement = statement;
    }

    Does does() {
        return does;
    }

    End end() {
        return end;
    }

    /** Halts this JVM at the statement. */
    Around statements() {
        return when.moment == null ? new Around() {} : new HaltAtStatement(when.moment, statement);
    }

    /** Halts this JVM inside a body. */
    Body body() {
        return new Body() {
            @Override
            public void begun(Crate crate, ActionContext context) {
                haltIf(when == When.ACTION_BEGUN);
            }

            @Override
            public ActionResult written(Crate crate, ActionContext context) throws Exception {
                haltIf(when == When.ACTION_WRITTEN);
                if (does == Does.LINGER) {
                    new CountDownLatch(1).await();
                }
                return does == Does.FAIL ? ActionResult.failure("no cart") : Body.super.written(crate, context);
            }

            @Override
            public void arriving(Crate crate) {
                haltIf(when == When.ARRIVING);
            }

            @Override
            public void arrived(Crate crate) {
                haltIf(when == When.ARRIVED);
            }
        };
    }

    void stepReturned() {
        haltIf(when == When.STEP_RETURNED);
    }
}
