package io.sagaspring.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.operations.AuditLog;
import io.sagaspring.operations.AuditQuery;
import io.sagaspring.operations.OperationResult.Result;
import io.sagaspring.operations.Operator;
import io.sagaspring.operations.PauseOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A paused janitor frees nothing, until a person resumes it. */
class PausedJanitorTests extends SweptClaims {

    private static final Operator ADA = Operator.named("ada");

    private static PauseOperations operations() {
        return shop.bean(PauseOperations.class);
    }

    private static JanitorRegistry janitors() {
        return shop.bean(JanitorRegistry.class);
    }

    @AfterEach
    void resume() {
        shop.database().sql("TRUNCATE saga_pause").update();
    }

    @Test
    void aPausedJanitorFreesNothingUntilItIsResumed() {
        claim();

        assertThat(operations().pauseJanitor("shop", "an investigation", ADA).wasDone())
                .isTrue();

        assertThat(sweepAfterSilence()).isZero();
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
        assertThat(janitors().sweep("shop").orElseThrow().isPaused()).isTrue();
        assertThat(janitors().modules()).contains("shop");
        janitors().requireComplete();
        assertThat(operations().pauseJanitor("shop", "again", ADA).result()).isEqualTo(Result.REFUSED);
        assertThat(operations().resumeJanitor("shop", ADA).wasDone()).isTrue();
        assertThat(shop.sweep()).isOne();
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(janitors().sweep("shop").orElseThrow().isPaused()).isFalse();
    }

    @Test
    void whatCannotBePausedIsAudited() {
        assertThat(operations().pauseJanitor("none", "why", ADA).result()).isEqualTo(Result.UNKNOWN);
        assertThat(operations().resumeJanitor("shop", ADA).result()).isEqualTo(Result.REFUSED);
        assertThat(operations().pauseKind("none", "why", ADA).result()).isEqualTo(Result.UNKNOWN);
        assertThat(operations().resumeKind("none\0", ADA).result()).isEqualTo(Result.UNKNOWN);

        assertThat(shop.bean(AuditLog.class).list(AuditQuery.latest(4)))
                .extracting(each ->
                        each.operation().operation() + " " + each.operation().target())
                .containsExactly(
                        "kind.resume kind none\uFFFD",
                        "kind.pause kind none",
                        "janitor.resume janitor shop",
                        "janitor.pause janitor none");
    }
}
