package io.sagaspring.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.context.support.GenericApplicationContext;

/** Base class of tests in which a listener writes the flips of parcels to an audit table. */
abstract class AuditedParcels {

    /** Writes each flip to an audit table, and then calls the test's code. */
    static final class Audit implements FlipListener {
        final List<Flip> flips = new CopyOnWriteArrayList<>();
        volatile FlipListener then = (flip, connection) -> {};

        @Override
        public void flipped(Flip flip, Connection connection) throws SQLException {
            flips.add(flip);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO audit (flip) VALUES (?)")) {
                insert.setString(1, "%s %s %s".formatted(flip.kind(), flip.id(), flip.version()));
                insert.executeUpdate();
            }
            then.flipped(flip, connection);
        }
    }

    static TestDatabase database;
    static Audit audit;
    static Shop shop;

    long parcel;

    @BeforeAll
    static void open() {
        Audit listener = new Audit();
        audit = listener;
        database = TestDatabase.create(MigratedSchema.class);
        shop = Shop.open(
                database,
                application -> application.initializers(context ->
                        ((GenericApplicationContext) context).registerBean("audit", Audit.class, () -> listener)));
        shop.database().sql("CREATE TABLE audit (flip text UNIQUE)").update();
    }

    @BeforeEach
    void pack() {
        shop.database().sql("TRUNCATE audit, saga_claim").update();
        audit.flips.clear();
        audit.then = (flip, connection) -> {};
        parcel = shop.pack();
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
        shop.script().action = (parcel, context) -> ActionResult.success();
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    void assertNothingHappened() {
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.version(parcel)).isZero();
        assertThat(shop.claims()).isZero();
        assertThat(audited()).isEmpty();
    }

    Flip flip(Flip.Kind kind, String from, String to, long version) {
        return new Flip(kind, "parcel", Parcel.class, parcel, from, to, version, "admin");
    }

    static List<String> audited() {
        return shop.database()
                .sql("SELECT flip FROM audit ORDER BY flip")
                .query(String.class)
                .list();
    }

    static ClaimedRow row(Claim claim) {
        return shop.bean(ClaimRecovery.class).find(claim.entity(), claim.key()).orElseThrow();
    }

    static ClaimService claims() {
        return shop.bean(ClaimService.class);
    }

    static ClaimState state() {
        return shop.bean(DeclaredClaimStates.class).of("shop").get(0);
    }

    ClaimAttempt attempt() {
        return claims().tryClaim(state(), parcel, "admin");
    }

    Claim claim() {
        ClaimAttempt attempt = attempt();
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }
}
