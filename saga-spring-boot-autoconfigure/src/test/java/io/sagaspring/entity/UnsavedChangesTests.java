package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.entity.equalless.Labelled;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A step is refused if it would drop unsaved changes of an open view. A step is not refused if an attribute only seems
 * to have changed.
 */
class UnsavedChangesTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(database, application -> application.sources(Mapped.class));

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = {Labelled.class, Parcel.class})
    static class Mapped {}

    private final long parcel = shop.pack();
    private final Long labelled = save();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @Test
    void unchangedAttributesWithoutEqualsDoNotStopAStep() {
        inView(view -> {
            view.find(Labelled.class, labelled);
            assertThat(view.unwrap(Session.class).isDirty())
                    .as("as JPA sees it")
                    .isTrue();

            assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        });
    }

    @Test
    void aChangeInsideAConvertedAttributeIsNotDropped() {
        inView(view -> {
            view.find(Labelled.class, labelled).label.text = "changed";

            assertThatExceptionOfType(DirtyContextException.class)
                    .isThrownBy(() -> shop.send(parcel))
                    .withMessageContaining("not saved: Labelled.label (Label has no equals")
                    .withMessageNotContaining("Labelled.tags");
            assertStillDirty(view);
        });
    }

    @Test
    void aChangeInsideAJsonAttributeIsNotDropped() {
        inView(view -> {
            view.find(Labelled.class, labelled).tags.first = "changed";

            assertThatExceptionOfType(DirtyContextException.class)
                    .isThrownBy(() -> shop.send(parcel))
                    .withMessageContaining("not saved: Labelled.tags (Tags has no equals")
                    .withMessageNotContaining("Labelled.label");
            assertStillDirty(view);
        });
    }

    @Test
    void attributesWithoutEqualsDoNotHideANewEntity() {
        inView(view -> {
            Labelled read = view.find(Labelled.class, labelled);
            Labelled made = new Labelled();
            made.id = labelled + 1;
            view.persist(made);

            assertThatExceptionOfType(DirtyContextException.class)
                    .isThrownBy(() -> shop.send(parcel))
                    .withMessageContaining("not saved: new or removed entities, or collections.");
            assertThat(view.contains(made)).isTrue();
            assertThat(view.contains(read)).isTrue();
        });
    }

    @Test
    void theMessageNamesAChangedAttribute() {
        inView(view -> {
            view.find(Parcel.class, parcel).note("unsaved");

            assertThatExceptionOfType(DirtyContextException.class)
                    .isThrownBy(() -> shop.send(parcel))
                    .withMessageContaining("not saved: Parcel.note. A step");
        });
    }

    /** Spring does not know about this transaction, because the test begins it directly on the entity manager. */
    @Test
    void aTransactionThatIsInProgressOnTheViewIsNotRolledBack() {
        long other = shop.pack();
        inView(view -> {
            view.getTransaction().begin();
            view.createQuery("UPDATE Parcel p SET p.note = 'kept' WHERE p.id = :id")
                    .setParameter("id", other)
                    .executeUpdate();

            assertThatExceptionOfType(CannotCreateTransactionException.class).isThrownBy(() -> shop.send(parcel));
            view.getTransaction().commit();
        });

        assertThat(shop.database()
                        .sql("SELECT note FROM parcel WHERE id = ?")
                        .param(other)
                        .query(String.class)
                        .single())
                .isEqualTo("kept");
    }

    private static void assertStillDirty(EntityManager view) {
        assertThat(view.unwrap(Session.class).isDirty()).isTrue();
    }

    private Long save() {
        return shop.inTransaction(entities -> {
            Labelled made = new Labelled();
            made.id = parcel * 10;
            entities.persist(made);
            return made.id;
        });
    }

    private static void inView(Consumer<EntityManager> request) {
        EntityManagerFactory factory = shop.bean(EntityManagerFactory.class);
        EntityManager view = factory.createEntityManager();
        TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(view));
        try {
            request.accept(view);
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
            view.close();
        }
    }
}
