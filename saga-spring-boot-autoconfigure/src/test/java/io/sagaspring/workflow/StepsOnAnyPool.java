package io.sagaspring.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.PoolSettings;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Base class of tests that run steps with different pool settings. Each test has one parcel that is ready to be sent.
 */
@ParameterizedClass
@EnumSource(names = "NO_AUTO_COMMIT_AND_SERIALIZABLE", mode = EnumSource.Mode.EXCLUDE)
abstract class StepsOnAnyPool {

    private static @Nullable TestDatabase database;
    private static @Nullable Shop opened;

    final Shop shop = Objects.requireNonNull(opened);
    final long parcel = shop.pack();

    StepsOnAnyPool(PoolSettings settings) {
        assertThat(settings).isNotNull();
    }

    @BeforeParameterizedClassInvocation
    static void open(PoolSettings settings) {
        database = TestDatabase.create(MigratedSchema.class);
        opened = Shop.open(database, settings.and("saga.keeper.own-connection=false"));
    }

    @AfterParameterizedClassInvocation
    static void close() {
        Objects.requireNonNull(opened).close();
        Objects.requireNonNull(database).close();
    }

    @BeforeEach
    void resetScript() {
        shop.script().action = (entity, context) -> {
            entity.note("sent by " + context.requester());
            return ActionResult.success();
        };
        shop.script().validation = (entity, context) -> List.of();
        shop.script().afterEffect = (entity, context) -> {};
    }

    void assertReleased() {
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEmpty();
        assertThat(shop.claims()).isZero();
    }
}
