package io.sagaspring.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Base class of tests whose actions behave in unusual ways. Each test has one parcel that is ready to be sent. */
abstract class StepsOfForeignCode {

    private static TestDatabase database;
    static Shop shop;

    long parcel;
    EntityManager entities;

    @BeforeAll
    static void open() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = Shop.open(database);
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void resetScript() {
        parcel = shop.pack();
        entities = shop.bean(EntityManager.class);
        shop.script().validation = (entity, context) -> List.of();
        shop.script().afterEffect = (entity, context) -> {};
    }

    static void acting(StepAction<Parcel> action) {
        shop.script().action = action;
    }

    void assertSent(long version) {
        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.version(parcel)).isEqualTo(version);
        assertThat(shop.claims()).isZero();
    }

    void assertReleased() {
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEmpty();
        assertThat(shop.claims()).isZero();
    }
}
