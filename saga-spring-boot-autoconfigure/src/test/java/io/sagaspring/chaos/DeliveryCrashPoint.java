package io.sagaspring.chaos;

import static io.sagaspring.chaos.EngineStatement.BOOKING;
import static io.sagaspring.chaos.EngineStatement.DELIVERY_DONE;
import static io.sagaspring.chaos.EngineStatement.DELIVERY_FAILED;
import static io.sagaspring.chaos.EngineStatement.DELIVERY_INSERT;
import static io.sagaspring.chaos.EngineStatement.DELIVERY_PICK_UP;
import static io.sagaspring.chaos.EngineStatement.EFFECT;

import io.sagaspring.chaos.HaltAtStatement.Moment;
import io.sagaspring.shop.Interference.Around;

/**
 * The points at which a node that publishes or delivers events may die. In the names, B means before a statement, C
 * after the statement and before its commit, D after a statement that commits itself, and U after the commit.
 */
enum DeliveryCrashPoint {
    PUBLISH_B(Moment.BEFORE, DELIVERY_INSERT),
    PUBLISH_C(Moment.AFTER, DELIVERY_INSERT),
    PUBLISH_U(Moment.AFTER_COMMIT, DELIVERY_INSERT),
    PICK_B(Moment.BEFORE, DELIVERY_PICK_UP),
    PICK_C(Moment.AFTER, DELIVERY_PICK_UP),
    PICK_U(Moment.AFTER_COMMIT, DELIVERY_PICK_UP),
    EFFECT_B(Moment.BEFORE, EFFECT),
    EFFECT_D(Moment.AFTER, EFFECT),
    DONE_B(Moment.BEFORE, DELIVERY_DONE),
    DONE_D(Moment.AFTER, DELIVERY_DONE),
    BOOK_B(Moment.BEFORE, BOOKING),
    BOOK_C(Moment.AFTER, BOOKING),
    BOOK_END_C(Moment.BEFORE_COMMIT, BOOKING),
    BOOK_END_U(Moment.AFTER_COMMIT, BOOKING),
    FAILED_B(Moment.BEFORE, DELIVERY_FAILED),
    FAILED_D(Moment.AFTER, DELIVERY_FAILED);

    private final Moment moment;
    private final EngineStatement statement;

    DeliveryCrashPoint(Moment moment, EngineStatement statement) {
        this.moment = moment;
        this.statement = statement;
    }

    /** Returns true if the node dies while it publishes. */
    boolean isOfPublisher() {
        return statement == DELIVERY_INSERT;
    }

    /** Returns true if a node reaches this point only after the listener has failed. */
    boolean needsFailure() {
        return statement == DELIVERY_FAILED;
    }

    /** Returns an interference that halts this JVM at the statement. */
    Around statements() {
        return new HaltAtStatement(moment, statement);
    }
}
