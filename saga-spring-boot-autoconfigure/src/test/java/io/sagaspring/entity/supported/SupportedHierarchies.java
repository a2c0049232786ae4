package io.sagaspring.entity.supported;

import jakarta.persistence.DiscriminatorColumn;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Version;

/** Entities with superclasses, for each inheritance strategy. Each constructor takes the id. New entities are open. */
public final class SupportedHierarchies {

    private SupportedHierarchies() {}

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

    /** The status and the version are in the root's table. */
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

    /**
     * The version is in the root's table. The status is in the table of each subclass. There is also a discriminator.
     */
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

    /** The fields of this class, the status and the version are in three different tables. */
    @Entity(name = "Taxi")
    public static class Taxi extends Car {

        String licence = "";

        protected Taxi() {}

        public Taxi(Long id) {
            super(id);
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

    /** Is claimed through the root of its hierarchy. */
    @Entity(name = "Dog")
    public static class Dog extends Animal {

        protected Dog() {}

        public Dog(Long id) {
            super(id);
        }
    }
}
