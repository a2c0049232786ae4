package io.sagaspring.entity.supported;

import jakarta.persistence.Access;
import jakarta.persistence.AccessType;
import jakarta.persistence.Column;
import jakarta.persistence.DiscriminatorColumn;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.math.BigInteger;
import java.util.UUID;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;

/** The entities. Each constructor takes the id; each starts as open. */
public final class Supported {

    private Supported() {}

    @Entity(name = "NumberedByLong")
    public static class NumberedByLong {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected NumberedByLong() {}

        public NumberedByLong(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "NumberedByPrimitive")
    @DynamicUpdate
    public static class NumberedByPrimitive {

        @Id
        long id;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        String note = "";

        @Version
        int version;

        protected NumberedByPrimitive() {}

        public NumberedByPrimitive(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "NumberedByInteger")
    public static class NumberedByInteger {

        @Id
        Integer id = 0;

        @Enumerated(EnumType.ORDINAL)
        State status = State.OPEN;

        @Version
        Integer version = 0;

        protected NumberedByInteger() {}

        public NumberedByInteger(Integer id) {
            this.id = id;
        }
    }

    @Entity(name = "NumberedByShort")
    public static class NumberedByShort {

        @Id
        Short id = 0;

        @JdbcTypeCode(SqlTypes.NAMED_ENUM)
        State status = State.OPEN;

        @Version
        int version;

        protected NumberedByShort() {}

        public NumberedByShort(Short id) {
            this.id = id;
        }
    }

    @Entity(name = "NumberedByBigInteger")
    public static class NumberedByBigInteger {

        @Id
        BigInteger id = BigInteger.ZERO;

        String status = "OPEN";

        @Version
        Long version = 0L;

        protected NumberedByBigInteger() {}

        public NumberedByBigInteger(BigInteger id) {
            this.id = id;
        }
    }

    /** Property access. */
    @Entity(name = "NamedByUuid")
    @Access(AccessType.PROPERTY)
    public static class NamedByUuid {

        UUID key = new UUID(0, 0);
        State now = State.OPEN;
        short revision;

        protected NamedByUuid() {}

        public NamedByUuid(UUID key) {
            this.key = key;
        }

        @Id
        public UUID getId() {
            return key;
        }

        public void setId(UUID id) {
            this.key = id;
        }

        @Enumerated(EnumType.STRING)
        public State getStatus() {
            return now;
        }

        public void setStatus(State status) {
            this.now = status;
        }

        @Version
        public short getVersion() {
            return revision;
        }

        public void setVersion(short version) {
            this.revision = version;
        }
    }

    /** Statuses that are no identifiers, in a column of fixed width, under another property's name. */
    @Entity(name = "NamedByText")
    public static class NamedByText {

        @Id
        String id = "";

        @Column(columnDefinition = "char(20)")
        String phase = "it's open";

        @Version
        Short version = 0;

        protected NamedByText() {}

        public NamedByText(String id) {
            this.id = id;
        }
    }

    @MappedSuperclass
    public abstract static class Versioned {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected Versioned() {}

        protected Versioned(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Inheriting")
    public static class Inheriting extends Versioned {

        protected Inheriting() {}

        public Inheriting(Long id) {
            super(id);
        }
    }

    @Entity(name = "Quoted")
    @Table(name = "\"the order\"", schema = "\"The Shop\"")
    public static class Quoted {

        @Id
        @Column(name = "\"select\"")
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        @Column(name = "\"the Status\"")
        State status = State.OPEN;

        @Version
        @Column(name = "\"from\"")
        long version;

        protected Quoted() {}

        public Quoted(Long id) {
            this.id = id;
        }
    }

    /** Status and version in the root's table. */
    @Entity(name = "Document")
    @Inheritance(strategy = InheritanceType.JOINED)
    public abstract static class Document {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected Document() {}

        protected Document(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Letter")
    public static class Letter extends Document {

        String address = "";

        protected Letter() {}

        public Letter(Long id) {
            super(id);
        }
    }

    @Entity(name = "Receipt")
    public static class Receipt extends Document {

        String amount = "";

        protected Receipt() {}

        public Receipt(Long id) {
            super(id);
        }
    }

    /** The version in the root's table, the status in that of each class, which also has a discriminator. */
    @Entity(name = "Vehicle")
    @Inheritance(strategy = InheritanceType.JOINED)
    @DiscriminatorColumn(name = "kind")
    public abstract static class Vehicle {

        @Id
        Long id = 0L;

        @Version
        long version;

        protected Vehicle() {}

        protected Vehicle(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Car")
    public static class Car extends Vehicle {

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        protected Car() {}

        public Car(Long id) {
            super(id);
        }
    }

    @Entity(name = "Boat")
    public static class Boat extends Vehicle {

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        protected Boat() {}

        public Boat(Long id) {
            super(id);
        }
    }

    /** Status two tables away from the class of the workflow. */
    @Entity(name = "Taxi")
    public static class Taxi extends Car {

        String licence = "";

        protected Taxi() {}

        public Taxi(Long id) {
            super(id);
        }
    }

    /** Kept in the second-level cache, which steps write past. */
    @Entity(name = "Remembered")
    @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
    public static class Remembered {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected Remembered() {}

        public Remembered(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Split")
    @SecondaryTable(name = "split_state")
    public static class Split {

        @Id
        Long id = 0L;

        @Column(table = "split_state")
        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected Split() {}

        public Split(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Shape")
    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    public abstract static class Shape {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected Shape() {}

        protected Shape(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Circle")
    public static class Circle extends Shape {

        protected Circle() {}

        public Circle(Long id) {
            super(id);
        }
    }

    @Entity(name = "Square")
    public static class Square extends Shape {

        protected Square() {}

        public Square(Long id) {
            super(id);
        }
    }

    @Entity(name = "Animal")
    public static class Animal {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected Animal() {}

        public Animal(Long id) {
            this.id = id;
        }
    }

    /** Claimed through the root of its hierarchy. */
    @Entity(name = "Dog")
    public static class Dog extends Animal {

        protected Dog() {}

        public Dog(Long id) {
            super(id);
        }
    }
}
