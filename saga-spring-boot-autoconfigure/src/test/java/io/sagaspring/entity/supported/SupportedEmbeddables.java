package io.sagaspring.entity.supported;

import io.sagaspring.entity.supported.StatusTypes.Phrases;
import jakarta.persistence.AttributeOverride;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Version;
import java.util.Objects;
import org.hibernate.annotations.EmbeddableInstantiator;
import org.hibernate.metamodel.spi.ValueAccess;
import org.jspecify.annotations.Nullable;

/** Entities whose status is inside an embeddable. Each constructor takes the id. New entities are open. */
public final class SupportedEmbeddables {

    private SupportedEmbeddables() {}

    @Embeddable
    public static class Lifecycle {

        String note = "";

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;
    }

    @Embeddable
    public record Fate(
            @Nullable String cause,
            @Convert(converter = Phrases.class) State status) {}

    @Embeddable
    public static class History {

        String author = "";

        @Embedded
        Fate fate = new Fate("none", State.OPEN);
    }

    @Embeddable
    public record Frame(@Embedded Lifecycle lifecycle, int width) {}

    /** An embeddable without setters and without a constructor for Hibernate. */
    @Embeddable
    @EmbeddableInstantiator(FixedInstantiator.class)
    public static final class Fixed {

        private final String author;

        @Enumerated(EnumType.STRING)
        private final State status;

        public Fixed(String author, State status) {
            this.author = author;
            this.status = status;
        }

        public String getAuthor() {
            return author;
        }

        public State getStatus() {
            return status;
        }
    }

    /** Creates the embeddable from its values, which are ordered by attribute name. */
    public static class FixedInstantiator implements org.hibernate.metamodel.spi.EmbeddableInstantiator {

        @Override
        public Object instantiate(ValueAccess values) {
            return new Fixed(
                    Objects.requireNonNull(values.getValue(0, String.class)),
                    Objects.requireNonNull(values.getValue(1, State.class)));
        }

        @Override
        public boolean isInstance(Object object) {
            return object instanceof Fixed;
        }

        @Override
        public boolean isSameClass(Object object) {
            return object.getClass() == Fixed.class;
        }
    }

    @Entity(name = "Living")
    public static class Living {

        @Id
        Long id = 0L;

        @Embedded
        Lifecycle lifecycle = new Lifecycle();

        @Version
        long version;

        protected Living() {}

        public Living(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Fated")
    public static class Fated {

        @Id
        Long id = 0L;

        Fate fate = new Fate(null, State.OPEN);

        @Version
        long version;

        protected Fated() {}

        public Fated(Long id) {
            this.id = id;
        }
    }

    /** The status is in an embeddable record, which is inside an embeddable class. */
    @Entity(name = "Historic")
    public static class Historic {

        @Id
        Long id = 0L;

        @Embedded
        History history = new History();

        @Version
        long version;

        protected Historic() {}

        public Historic(Long id) {
            this.id = id;
        }
    }

    /**
     * The status is in an embeddable class, which is inside an embeddable record. The columns are in a second table.
     */
    @Entity(name = "Framed")
    @SecondaryTable(name = "framed_frame")
    public static class Framed {

        @Id
        Long id = 0L;

        @AttributeOverride(name = "width", column = @Column(table = "framed_frame"))
        @AttributeOverride(name = "lifecycle.note", column = @Column(table = "framed_frame"))
        @AttributeOverride(name = "lifecycle.status", column = @Column(name = "\"the Status\"", table = "framed_frame"))
        Frame frame = new Frame(new Lifecycle(), 3);

        @Version
        long version;

        protected Framed() {}

        public Framed(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Unchanging")
    public static class Unchanging {

        @Id
        Long id = 0L;

        Fixed fixed = new Fixed("me", State.OPEN);

        @Version
        long version;

        protected Unchanging() {}

        public Unchanging(Long id) {
            this.id = id;
        }
    }
}
