package io.sagaspring.janitor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The application locks, breaks, moves or deletes claimed entities. The sweep frees every entity that can be freed. */
@ExtendWith(OutputCaptureExtension.class)
class UnsweptEntitiesTests extends SweptClaims {

    @BeforeAll
    static void constrain() {
        shop.database()
                .sql("CREATE TABLE payment (parcel_id bigint REFERENCES parcel)")
                .update();
        shop.database().sql("""
                        CREATE FUNCTION jam() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN RAISE EXCEPTION ''jammed''; END'""").update();
        shop.database().sql("""
                        CREATE TRIGGER jams BEFORE UPDATE ON parcel FOR EACH ROW
                        WHEN (NEW.status = 'PACKED' AND NEW.note = 'jams') EXECUTE FUNCTION jam()""").update();
    }

    @Test
    void aLockedEntityIsSkippedAndTheLockingBackendIsNamed(CapturedOutput output) throws Exception {
        claim();
        try (Connection frozen = database.dataSource().getConnection();
                Statement statement = frozen.createStatement()) {
            frozen.setAutoCommit(false);
            statement.execute("SELECT 1 FROM parcel WHERE id = %s FOR UPDATE".formatted(parcel));
            String pid = pid(statement);

            assertThat(OwnThread.call(this::sweepAfterSilence).get(20, SECONDS)).isZero();
            assertThat(output).contains("is stuck in SENDING, was claimed at").contains("backend %s (".formatted(pid));
            frozen.rollback();
        }
        assertThat(shop.sweep()).isOne();
    }

    @Test
    void anUncommittedReferenceToTheEntityDoesNotStopTheJanitor() throws Exception {
        claim();
        try (Connection paying = database.dataSource().getConnection();
                Statement statement = paying.createStatement()) {
            paying.setAutoCommit(false);
            statement.execute("INSERT INTO payment VALUES (%s)".formatted(parcel));

            assertThat(OwnThread.call(this::sweepAfterSilence).get(20, SECONDS)).isOne();
            paying.rollback();
        }
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    @ExpectsErrors("could not free claims (number: 1) for the reason below")
    void otherEntitiesAreFreedEvenIfOneEntityCannotBeFreed(CapturedOutput output) {
        long jamming = shop.pack();
        claim(jamming);
        shop.database()
                .sql("UPDATE parcel SET note = 'jams' WHERE id = ?")
                .param(jamming)
                .update();
        claim();

        sweepAfterSilence();

        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.status(jamming)).isEqualTo("SENDING");
        assertThat(output)
                .contains("could not free claims (number: 1) for the reason below, for example parcel %s in SENDING"
                        .formatted(jamming));
    }

    @Test
    @ExpectsErrors("could not search for entities in a claim state without a claim")
    void aFailedOrphanSearchDoesNotStopTheSweep() {
        AtomicBoolean failed = new AtomicBoolean();
        shop.interference().with(new Interference.Around() {
            @Override
            public void before(String sql, Connection connection) throws SQLException {
                if (Statements.named("janitor.turn", "claim.adopt").test(sql)) {
                    failed.set(true);
                    throw new SQLException("permission denied", "42501");
                }
            }
        });

        // A sweep searches for orphans only when the interval has passed.
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            claim();
            sweepAfterSilence();
            assertThat(shop.status(parcel)).isEqualTo("PACKED");
            return failed.get();
        });
    }

    @Test
    void aDeletedEntityLeavesNoClaimBehind(CapturedOutput output) {
        claim();
        shop.database().sql("DELETE FROM parcel WHERE id = ?").param(parcel).update();

        sweepAfterSilence();

        assertThat(shop.claims()).isZero();
        assertThat(output).contains("parcel %s was claimed, but it was deleted".formatted(parcel));
    }

    @Test
    void anEntityThatLeftItsClaimStateKeepsItsStatus(CapturedOutput output) {
        claim();
        shop.database()
                .sql("UPDATE parcel SET status = 'LOST', version = version + 1 WHERE id = ?")
                .param(parcel)
                .update();

        sweepAfterSilence();

        assertThat(shop.claims()).isZero();
        assertThat(shop.status(parcel)).isEqualTo("LOST");
        assertThat(output).contains("or no longer has the status SENDING");
    }

    @Test
    void anAbandonedClaimDoesNotPreventTheNextClaim() {
        Claim left = claim();
        shop.database()
                .sql("UPDATE parcel SET status = 'PACKED' WHERE id = ?")
                .param(parcel)
                .update();

        Claim next = claim();

        assertThat(next.token()).isGreaterThan(left.token());
        assertThat(shop.claims()).isOne();
        assertThat(claims().complete(left, "SENT")).isEqualTo(ClaimEnd.TAKEN);
        assertThat(claims().release(next)).isEqualTo(ClaimEnd.DONE);
    }

    private static String pid(Statement statement) throws SQLException {
        try (ResultSet self = statement.executeQuery("SELECT pg_backend_pid()")) {
            self.next();
            return self.getString(1);
        }
    }
}
