package io.sagaspring.workflow;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * If an action gets only the id, the library does not load the entity. Entities that the action loads and changes are
 * committed with the flip.
 */
class StepsByIdTests {

    private static StepActionById<Long> acting = (id, context) -> ActionResult.success();
    private static AfterEffectById<Long> following = (id, context) -> {};
    private static StepValidationById<Long> validating = (id, context) -> List.of();

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        StepActionById<Long> sendById() {
            return (id, context) -> acting.run(id, context);
        }

        @Bean
        StepValidationById<Long> checkById() {
            return (id, context) -> validating.validate(id, context);
        }

        @Bean
        AfterEffectById<Long> followById() {
            return (id, context) -> following.run(id, context);
        }
    }

    private static final String STEP = "saga.workflows.parcel.steps[0].";
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(
            database,
            application -> application.sources(Beans.class),
            "spring.jpa.properties.hibernate.generate_statistics=true",
            STEP + "action.any=sendById",
            STEP + "validation.any=checkById",
            STEP + "success-after-effect.any=followById");

    private final long parcel = shop.pack();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void doNothing() {
        acting = (id, context) -> ActionResult.success();
        following = (id, context) -> {};
        validating = (id, context) -> List.of();
    }

    @Test
    void aStepByIdLoadsNoEntity() throws Exception {
        CompletableFuture<Long> followed = new CompletableFuture<>();
        // An after-effect of another test may be delivered late.
        following = (id, context) -> {
            if (id == parcel) {
                followed.complete(id);
            }
        };
        var statistics = shop.bean(EntityManagerFactory.class)
                .unwrap(SessionFactory.class)
                .getStatistics();
        statistics.clear();

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Completed("SENT", null));

        assertThat(followed.get(20, SECONDS)).isEqualTo(parcel);
        assertThat(statistics.getEntityLoadCount()).isZero();
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.version(parcel)).isEqualTo(2);
        assertThat(shop.claims()).isZero();
    }

    @Test
    void anObjectionOfAValidationByIdPreventsTheAction() {
        validating = (id, context) -> List.of("not " + id);

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Rejected(List.of("not " + parcel)));
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void anEntityThatTheActionLoadsAndChangesIsWrittenBeforeTheFlip() {
        acting = (id, context) -> {
            shop.bean(EntityManager.class).find(Parcel.class, id).note("by id");
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(shop.note(parcel)).isEqualTo("by id");
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.version(parcel)).as("claimed, flushed, flipped").isEqualTo(3);
    }

    @Test
    void anActionCannotRemoveTheEntityIfAnAfterEffectFollows() {
        acting = (id, context) -> {
            EntityManager entities = shop.bean(EntityManager.class);
            entities.remove(entities.find(Parcel.class, id));
            return ActionResult.success();
        };

        assertThatExceptionOfType(EntityRemovedException.class).isThrownBy(() -> shop.send(parcel));
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void aChangeByAnotherTransactionIsAConflict() {
        acting = (id, context) -> {
            OwnThread.run(() -> shop.inTransaction(entities -> {
                        entities.find(Parcel.class, id).note("theirs " + context.requester());
                        return null;
                    }))
                    .join();
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.workflows().run("parcel", parcel, "send", Shop.SYSTEM))
                .isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.note(parcel)).isEqualTo("theirs system");
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void aStepWithoutAClaimRunsOnlyIfTheEntityHasTheStepsStatus() {
        assertThat(shop.workflows().run("parcel", parcel, "send", Shop.SYSTEM))
                .isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.workflows().run("parcel", parcel, "send", Shop.SYSTEM))
                .isEqualTo(new TransitionOutcome.NotApplicable("SENT", List.of("lose")));
        assertThatExceptionOfType(UnknownException.Entity.class)
                .isThrownBy(() -> shop.workflows().run("parcel", -1, "send", Shop.SYSTEM));
    }

    /**
     * Open-in-view keeps a persistence context, with everything that an action has loaded into it, for the whole
     * request.
     */
    @Test
    void anOpenPersistenceContextKeepsNoStaleEntity() {
        acting = (id, context) -> {
            assertThat(shop.bean(EntityManager.class).find(Parcel.class, id).status())
                    .isEqualTo(Parcel.Status.SENDING);
            return ActionResult.success();
        };
        EntityManagerFactory factory = shop.bean(EntityManagerFactory.class);
        try (EntityManager view = factory.createEntityManager()) {
            TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(view));
            try {
                assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
                assertThat(view.find(Parcel.class, parcel).status()).isEqualTo(Parcel.Status.SENT);
            } finally {
                TransactionSynchronizationManager.unbindResource(factory);
            }
        }
    }

    /** The validation needs the entity, so JPA manages the entity and writes the status. */
    @Test
    void anActionByIdCanFollowAValidationOfTheEntity() {
        acting = (id, context) -> {
            shop.bean(EntityManager.class).find(Parcel.class, id).note("seen");
            return ActionResult.success();
        };
        try (Shop mixed = Shop.open(
                database,
                application -> application.sources(Beans.class),
                STEP + "action.any=sendById",
                "spring.jpa.hibernate.ddl-auto=none")) {
            mixed.script().validation = (entity, context) -> {
                assertThat(entity.status()).isEqualTo(Parcel.Status.SENDING);
                return List.of();
            };
            mixed.script().afterEffect = (entity, context) -> {};
            assertThat(mixed.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        }
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.version(parcel)).isEqualTo(2);
    }
}
