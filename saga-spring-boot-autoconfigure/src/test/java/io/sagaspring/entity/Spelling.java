package io.sagaspring.entity;

import static io.sagaspring.entity.SpelledShop.shop;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.definition.Requester;
import io.sagaspring.entity.spelled.Spelled;
import io.sagaspring.workflow.TransitionRequest;
import java.math.BigInteger;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/** The entities, each with two spellings of its ids. The database may use a third spelling. */
enum Spelling {
    PADDED(Spelled.Padded.class, "x%d", "x%d      "),
    PADDED_SPLIT(Spelled.PaddedSplit.class, "x%d      ", "x%d"),
    CASELESS(Spelled.Caseless.class, "a%dA", "A%da"),
    SCALED(Spelled.Scaled.class, "%d", "0%d");

    private static final AtomicInteger ids = new AtomicInteger();

    final Class<?> entity;
    private final String one;
    private final String other;

    Spelling(Class<?> entity, String one, String other) {
        this.entity = entity;
        this.one = one;
        this.other = other;
    }

    String workflow() {
        return entity.getSimpleName().toLowerCase(Locale.ROOT);
    }

    ClaimState state() {
        return shop.bean(DeclaredClaimStates.class).all().stream()
                .filter(state -> state.workflow().equals(workflow()))
                .findFirst()
                .orElseThrow();
    }

    String table() {
        return shop.bean(DeclaredClaimStates.class).tableOf(state()).name();
    }

    Object one(int number) {
        return id(one, number);
    }

    Object other(int number) {
        return id(other, number);
    }

    private Object id(String spelling, int number) {
        String text = String.format(Locale.ROOT, spelling, number);
        return this == SCALED ? new BigInteger(text) : text;
    }

    int insert() {
        int number = ids.incrementAndGet();
        if (this == PADDED_SPLIT) {
            shop.database()
                    .sql("INSERT INTO padded_split (id, note, version) VALUES (?, '', 0)")
                    .param(one(number))
                    .update();
            shop.database()
                    .sql("INSERT INTO padded_split_state (id, status) VALUES (?, 'OPEN')")
                    .param(one(number))
                    .update();
            return number;
        }
        shop.database()
                .sql("INSERT INTO %s (id, status, note, version) VALUES (?::%s, 'OPEN', '', 0)"
                        .formatted(table(), this == SCALED ? "numeric" : "text"))
                .param(one(number))
                .update();
        return number;
    }

    String status(int number) {
        return this == PADDED_SPLIT ? status("padded_split_state", number) : status(table(), number);
    }

    private String status(String table, int number) {
        return shop.database()
                .sql("SELECT status FROM %s WHERE id = ?::%s"
                        .formatted(table, this == SCALED ? "numeric" : this == CASELESS ? "citext" : "char(20)"))
                .param(other(number))
                .query(String.class)
                .single();
    }

    TransitionRequest call(Object id, Requester requester) {
        return TransitionRequest.of(workflow(), id, "close", requester);
    }

    Claim claim(Object id) {
        ClaimAttempt attempt = shop.bean(ClaimService.class).tryClaim(state(), id, "admin");
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }
}
