package io.sagaspring.chaos;

import static io.sagaspring.chaos.HaltAtStatement.haltIf;

import io.sagaspring.chaos.HaltAtStatement.Moment;
import io.sagaspring.chaos.Mover.Hooks;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The points at which a node may die. In the names, B means before a statement, C between the last statement and its
 * commit, U after the commit but before its reply arrives, D after the commit, and E0 and E1 before and after a side
 * effect.
 */
enum CrashPoint {
    CLAIM_B(Activity.SHIP, End.UNTOUCHED, When.BEFORE, EngineStatement.CLAIM),
    CLAIM_D(Activity.SHIP, End.FREED, When.AFTER, EngineStatement.CLAIM),
    ACT_E0(Activity.SHIP, End.FREED, When.ACTION_BEGUN, EngineStatement.NONE),
    ACT_E1(Activity.SHIP, End.FREED, When.ACTION_WRITTEN, EngineStatement.NONE),
    BEAT_B(Activity.LINGER, End.FREED, When.BEFORE, EngineStatement.RENEWAL),
    BEAT_D(Activity.LINGER, End.FREED, When.AFTER, EngineStatement.RENEWAL),
    FINALISE_B(Activity.SHIP, End.FREED, When.BEFORE, EngineStatement.FENCE),
    FINALISE_C(Activity.SHIP, End.FREED, When.AFTER, EngineStatement.FENCE),
    FINALISE_U(Activity.SHIP, End.SHIPPED, When.AFTER_COMMIT_OF, EngineStatement.FENCE),
    FINALISE_D(Activity.SHIP, End.SHIPPED, When.STEP_RETURNED, EngineStatement.NONE),
    RELEASE_B(Activity.FAIL, End.FREED, When.BEFORE, EngineStatement.FENCE),
    RELEASE_FLIPPED(Activity.FAIL, End.FREED, When.AFTER, EngineStatement.FLIP_BACK),
    RELEASE_C(Activity.FAIL, End.FREED, When.BEFORE_COMMIT_OF, EngineStatement.FENCE),
    RELEASE_D(Activity.FAIL, End.FREED, When.AFTER_COMMIT_OF, EngineStatement.FENCE),
    SWEEP_B(Activity.SWEEP, End.FREED, When.BEFORE, EngineStatement.LOCK_OF_STUCK),
    SWEEP_LOCKED(Activity.SWEEP, End.FREED, When.AFTER, EngineStatement.LOCK_OF_STUCK),
    SWEEP_FLIPPED(Activity.SWEEP, End.FREED, When.AFTER, EngineStatement.FLIP_BACK),
    SWEEP_C(Activity.SWEEP, End.FREED, When.AFTER, EngineStatement.FENCE),
    SWEEP_D(Activity.SWEEP, End.FREED, When.AFTER_COMMIT_OF, EngineStatement.FENCE),
    PICK_UP_B(Activity.SHIP, End.SHIPPED, When.BEFORE, EngineStatement.DUE_PICK_UP),
    PICK_UP_D(Activity.SHIP, End.SHIPPED, When.AFTER, EngineStatement.DUE_PICK_UP),
    AFTER_EFFECT_E0(Activity.SHIP, End.SHIPPED, When.ARRIVING, EngineStatement.NONE),
    AFTER_EFFECT_E1(Activity.SHIP, End.SHIPPED, When.ARRIVED, EngineStatement.NONE),
    DONE_B(Activity.SHIP, End.SHIPPED, When.BEFORE, EngineStatement.DUE_REMOVAL),
    DONE_D(Activity.SHIP, End.SHIPPED, When.AFTER, EngineStatement.DUE_REMOVAL);

    /** The activity of the node when it dies. */
    enum Activity {
        SHIP,
        /** The action reports failure, so that the claim is released. */
        FAIL,
        /** The action lasts until the node dies. */
        LINGER,
        /** The node's janitor reverts a claim of a node that has stopped. */
        SWEEP
    }

    /** The state to which the other nodes must bring the crate. */
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

    private final Activity activity;
    private final End end;
    private final When when;
    private final EngineStatement statement;

    CrashPoint(Activity activity, End end, When when, EngineStatement statement) {
        this.activity = activity;
        this.end = end;
        this.when = when;
        this.statement = statement;
    }

    Activity activity() {
        return activity;
    }

    End end() {
        return end;
    }

    /** Returns an interference that halts this JVM at the statement. */
    Around statements() {
        return when.moment == null ? new Around() {} : new HaltAtStatement(when.moment, statement);
    }

    /** Returns hooks that halt this JVM inside the code of the {@link Mover}. */
    Hooks hooks() {
        return new Hooks() {
            @Override
            public void begun(Crate crate, ActionContext context) {
                haltIf(when == When.ACTION_BEGUN);
            }

            @Override
            public ActionResult written(Crate crate, ActionContext context) throws Exception {
                haltIf(when == When.ACTION_WRITTEN);
                if (activity == Activity.LINGER) {
                    new CountDownLatch(1).await();
                }
                return activity == Activity.FAIL
                        ? ActionResult.failure("no cart")
                        : Hooks.super.written(crate, context);
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
