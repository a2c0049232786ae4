package io.sagaspring.entity;

import static io.sagaspring.entity.DescribedKind.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.claim.Flip;
import io.sagaspring.claim.FlipListener;
import io.sagaspring.definition.Requester;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome.Completed;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** A listener sees each flip of a described table, and can refuse the flip at the end of a step. */
class DescribedFlipTests extends DescribedShop {

    private static volatile Shop node = shop;

    /** Without JPA, the listener sees both the claim and the flip at the end. */
    @Test
    void aListenerIsCalledInTheCommitOfEachFlip() {
        Object key = LONG.save();
        List<String> flips = new CopyOnWriteArrayList<>();
        FlipListener listener = (flip, connection) ->
                flips.add("%s %s %s %s".formatted(flip.kind(), flip.from(), flip.to(), flip.version()));
        try (Shop listening = open(application -> application.initializers(
                context -> context.getBeanFactory().registerSingleton("listener", listener)))) {
            for (Requester requester : List.of(Shop.ADMIN, Shop.SYSTEM)) {
                assertThat(listening.workflows().run(LONG.workflow(), key, "close", requester))
                        .isInstanceOf(Completed.class);
                LONG.writeStatus(key, "OPEN");
            }
        }
        assertThat(flips)
                .containsExactly("CLAIMED OPEN CLOSING 1", "COMPLETED CLOSING CLOSED 2", "COMPLETED OPEN CLOSED 4");
    }

    @Test
    void aListenerThatThrowsRollsTheStepBack() {
        Object key = LONG.save();
        acting = (entity, context) -> {
            node.bean(JdbcTemplate.class).update("INSERT INTO written VALUES (1)");
            return ActionResult.success();
        };
        IllegalArgumentException refusal = new IllegalArgumentException("no audit today");
        FlipListener listener = (flip, connection) -> {
            if (flip.kind() == Flip.Kind.COMPLETED) {
                throw refusal;
            }
        };
        try (Shop listening = open(application -> application.initializers(
                context -> context.getBeanFactory().registerSingleton("listener", listener)))) {
            node = listening;
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> listening.workflows().run(LONG.workflow(), key, "close", Shop.ADMIN))
                    .isSameAs(refusal);
        }
        assertThat(written()).isZero();
        assertThat(LONG.read(key)).isEqualTo(new EntityRow("OPEN", 2));
        assertThat(claimsOf(LONG, key)).isZero();
    }

    private static int written() {
        return shop.database()
                .sql("SELECT count(*) FROM written")
                .query(Integer.class)
                .single();
    }
}
