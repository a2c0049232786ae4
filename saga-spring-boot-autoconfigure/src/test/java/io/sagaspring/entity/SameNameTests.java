package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.warehouse.Shelved;
import io.sagaspring.entity.warehouse.Stored;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

/**
 * Tables with the same name in two schemas are different tables. A table is the same table even if two persistence
 * units use different names for it.
 */
class SameNameTests {

    private static final TestDatabase database = withWarehouse();
    private static final Shop shop = Shop.open(
            database, application -> application.sources(Warehouse.class), "warehouse.url=" + database.getJdbcUrl());

    private final ClaimService claims = shop.bean(ClaimService.class);

    @Configuration(proxyBeanMethods = false)
    static class Warehouse {

        static final ClaimState STORED = new ClaimState("stored", "shop", Stored.class, "status", "SENDING", "PACKED");
        static final ClaimState SHELVED =
                new ClaimState("shelved", "shop", Shelved.class, "status", "SENDING", "PACKED");

        static final ClaimState UNLOADED =
                new ClaimState("unloaded", "shop", Stored.class, "status", "UNLOADING", "SENT");

        @Bean(defaultCandidate = false)
        LocalContainerEntityManagerFactoryBean warehouse(@Value("${warehouse.url}") String url) {
            LocalContainerEntityManagerFactoryBean unit = new LocalContainerEntityManagerFactoryBean();
            unit.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            unit.setDataSource(new DriverManagerDataSource(
                    url + (url.contains("?") ? "&" : "?") + "currentSchema=warehouse,public", "postgres", "postgres"));
            unit.setPackagesToScan(Stored.class.getPackageName());
            unit.setPersistenceUnitName("warehouse");
            return unit;
        }

        @Bean
        ClaimState stored() {
            return STORED;
        }

        @Bean
        ClaimState unloaded() {
            return UNLOADED;
        }

        @Bean
        ClaimState shelved() {
            return SHELVED;
        }
    }

    private static TestDatabase withWarehouse() {
        TestDatabase database = TestDatabase.create(MigratedSchema.class);
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA warehouse");
            statement.execute(
                    "CREATE TABLE warehouse.parcel (id bigint PRIMARY KEY, status text, note text, version bigint)");
            return database;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void reset() {
        shop.database().sql("TRUNCATE saga_claim, parcel, warehouse.parcel").update();
    }

    @Test
    void entitiesOfTwoTablesWithTheSameNameAreClaimedIndependently() {
        long parcel = shop.pack();
        store(parcel);

        Claim inShop = claim(inShop(), parcel);
        Claim inWarehouse = claim(Warehouse.STORED, parcel);

        assertThat(shop.claims()).isEqualTo(2);
        assertThat(claims.complete(inShop, "SENT")).isEqualTo(ClaimEnd.DONE);
        assertThat(claims.complete(inWarehouse, "SENT")).isEqualTo(ClaimEnd.DONE);
        assertThat(shop.claims()).isZero();
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(stored(parcel)).isEqualTo("SENT");
    }

    @Test
    void claimsOnTwoTablesWithTheSameNameAreRevertedIndependently() {
        long parcel = shop.pack();
        store(parcel);
        claim(Warehouse.STORED, parcel);
        shop.silence(Duration.ofMinutes(6));
        Claim inShop = claim(inShop(), parcel);

        assertThat(shop.bean(ClaimRecovery.class).adoptOrphans("shop").values()).containsOnly(0);
        shop.sweep();

        assertThat(stored(parcel)).isEqualTo("PACKED");
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
        assertThat(claims.release(inShop)).isEqualTo(ClaimEnd.DONE);
        assertThat(shop.claims()).isZero();
    }

    @Test
    void anEntityHasOneClaimEvenIfTwoUnitsMapItsTable() {
        long parcel = shop.pack();
        Claim inShop = claim(inShop(), parcel);

        assertThat(claims.tryClaim(Warehouse.SHELVED, parcel, "admin")).isInstanceOf(ClaimAttempt.Refused.class);
        shop.database()
                .sql("UPDATE parcel SET status = 'PACKED' WHERE id = ?")
                .param(parcel)
                .update();
        Claim later = claim(Warehouse.SHELVED, parcel);

        assertThat(shop.claims()).isOne();
        assertThat(claims.release(inShop)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(claims.release(later)).isEqualTo(ClaimEnd.DONE);
    }

    @Test
    void aTableNameIncludesTheSchemaUnlessTheSchemaIsPublic() {
        DeclaredClaimStates states = shop.bean(DeclaredClaimStates.class);

        assertThat(states.tableOf(inShop()).name()).isEqualTo("parcel");
        assertThat(states.tableOf(Warehouse.SHELVED).name()).isEqualTo("parcel");
        assertThat(states.tableOf(Warehouse.STORED).name()).isEqualTo("warehouse.parcel");
    }

    /**
     * Each claim state lists only the statuses of its own declaration, but the index must cover the statuses of both
     * claim states.
     */
    @Test
    void claimStatesThatShareATableOfTextStatusesAreSearchedTogether() {
        DeclaredClaimStates states = shop.bean(DeclaredClaimStates.class);

        for (ClaimState state : List.of(Warehouse.STORED, Warehouse.UNLOADED)) {
            EntityTable table = states.tableOf(state);
            assertThat(table.indexFor(states.namesOn(table))).contains("'SENDING'", "'UNLOADING'");
        }
    }

    private static ClaimState inShop() {
        return shop.bean(DeclaredClaimStates.class).all().stream()
                .filter(state -> state.entity() == Parcel.class)
                .findFirst()
                .orElseThrow();
    }

    private Claim claim(ClaimState state, long id) {
        ClaimAttempt attempt = claims.tryClaim(state, id, "admin");
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }

    private static void store(long id) {
        shop.database()
                .sql("INSERT INTO warehouse.parcel VALUES (?, 'PACKED', '', 0)")
                .param(id)
                .update();
    }

    private static String stored(long id) {
        return shop.database()
                .sql("SELECT status FROM warehouse.parcel WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }
}
