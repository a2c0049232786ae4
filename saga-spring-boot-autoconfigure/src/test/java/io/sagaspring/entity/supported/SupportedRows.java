package io.sagaspring.entity.supported;

import jakarta.persistence.Column;
import jakarta.persistence.DiscriminatorValue;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Version;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.annotations.SoftDeleteType;
import org.hibernate.type.YesNoConverter;
import org.jspecify.annotations.Nullable;

/** Entities of which JPA hides some rows. Each constructor takes the id. New entities are open and not hidden. */
public final class SupportedRows {

    private SupportedRows() {}

    @SoftDelete
    @Entity(name = "DeletedByFlag")
    public static class DeletedByFlag {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected DeletedByFlag() {}

        public DeletedByFlag(Long id) {
            this.id = id;
        }
    }

    @SoftDelete(strategy = SoftDeleteType.ACTIVE, converter = YesNoConverter.class, columnName = "is_there")
    @Entity(name = "ActiveByLetter")
    public static class ActiveByLetter {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected ActiveByLetter() {}

        public ActiveByLetter(Long id) {
            this.id = id;
        }
    }

    @SoftDelete(strategy = SoftDeleteType.TIMESTAMP)
    @Entity(name = "DeletedAtATime")
    public static class DeletedAtATime {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected DeletedAtATime() {}

        public DeletedAtATime(Long id) {
            this.id = id;
        }
    }

    /** The column that marks deleted rows is in the root's table, and the status is in the table of the class. */
    @SoftDelete
    @Inheritance(strategy = InheritanceType.JOINED)
    @Entity(name = "Contract")
    public abstract static class Contract {

        @Id
        Long id = 0L;

        @Version
        long version;

        protected Contract() {}

        public Contract(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Lease")
    public static class Lease extends Contract {

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        protected Lease() {}

        public Lease(Long id) {
            super(id);
        }
    }

    @SQLRestriction("hidden = false and coalesce(note, '') not like 'gone?%' or hidden is null")
    @Entity(name = "Restricted")
    public static class Restricted {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        @Nullable
        Boolean hidden = false;

        @Nullable
        String note;

        protected Restricted() {}

        public Restricted(Long id) {
            this.id = id;
        }
    }

    /** The restriction is on the table of the version, and the status is in another table. */
    @SQLRestriction("hidden = false")
    @SecondaryTable(name = "restricted_state")
    @Entity(name = "RestrictedSplit")
    public static class RestrictedSplit {

        @Id
        Long id = 0L;

        @Version
        long version;

        @Enumerated(EnumType.STRING)
        @Column(table = "restricted_state")
        State status = State.OPEN;

        boolean hidden;

        protected RestrictedSplit() {}

        public RestrictedSplit(Long id) {
            this.id = id;
        }
    }

    @SQLRestriction("hidden = false")
    @Inheritance(strategy = InheritanceType.JOINED)
    @Entity(name = "Parent")
    public abstract static class Parent {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        boolean hidden;

        protected Parent() {}

        public Parent(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "InheritingRestriction")
    public static class InheritingRestriction extends Parent {

        String note = "";

        protected InheritingRestriction() {}

        public InheritingRestriction(Long id) {
            super(id);
        }
    }

    @SQLRestriction("hidden = false")
    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    @Entity(name = "Plan")
    public abstract static class Plan {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        boolean hidden;

        protected Plan() {}

        protected Plan(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Draft")
    public static class Draft extends Plan {

        protected Draft() {}

        public Draft(Long id) {
            super(id);
        }
    }

    /** A root and its subclass, each with its own table and workflow. */
    @Inheritance(strategy = InheritanceType.JOINED)
    @Entity(name = "Payment")
    public static class Payment {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected Payment() {}

        public Payment(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "CardPayment")
    public static class CardPayment extends Payment {

        String card = "";

        protected CardPayment() {}

        public CardPayment(Long id) {
            super(id);
        }
    }

    /** A class in the table of its root. The root has a workflow, too. */
    @DiscriminatorValue("it's a cat")
    @Entity(name = "Cat")
    public static class Cat extends SupportedHierarchies.Animal {

        protected Cat() {}

        public Cat(Long id) {
            super(id);
        }
    }

    /** Is claimed through its superclass. */
    @Entity(name = "Kitten")
    public static class Kitten extends Cat {

        protected Kitten() {}

        public Kitten(Long id) {
            super(id);
        }
    }
}
