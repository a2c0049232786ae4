package io.sagaspring.entity.supported;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapsId;
import jakarta.persistence.PrimaryKeyJoinColumn;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;

/** Entities with composite ids. Each constructor takes the id. New entities are open. */
public final class SupportedKeys {

    private SupportedKeys() {}

    /** Has a version and a status. */
    @jakarta.persistence.MappedSuperclass
    public abstract static class Keyed {

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        String note = "";

        @Version
        long version;

        public void note(String changed) {
            note = changed;
        }
    }

    @Embeddable
    public record Slot(String shop, Long number) implements Serializable {}

    /** A class without its own {@code toString}. JPA lists its parts in the order of their names: number, shop. */
    @Embeddable
    public static class Place implements Serializable {

        private static final long serialVersionUID = 1L;

        private String shop = "";
        private Long number = 0L;

        protected Place() {}

        public Place(String shop, Long number) {
            this.shop = shop;
            this.number = number;
        }

        public void renumber(Long changed) {
            number = changed;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Place place && shop.equals(place.shop) && number.equals(place.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(shop, number);
        }
    }

    @Entity(name = "InSlot")
    public static class InSlot extends Keyed {

        @EmbeddedId
        Slot id = new Slot("", 0L);

        protected InSlot() {}

        public InSlot(Slot id) {
            this.id = id;
        }
    }

    @Entity(name = "AtPlace")
    public static class AtPlace extends Keyed {

        @EmbeddedId
        Place id = new Place();

        protected AtPlace() {}

        public AtPlace(Place id) {
            this.id = id;
        }
    }

    /** An embeddable id with a single part. */
    @Embeddable
    public record Ticket(
            @Convert(converter = SupportedValues.SerialColumn.class)
            SupportedValues.Serial serial) implements Serializable {}

    @Entity(name = "WithTicket")
    public static class WithTicket extends Keyed {

        @EmbeddedId
        Ticket id = new Ticket(new SupportedValues.Serial(0));

        protected WithTicket() {}

        public WithTicket(Ticket id) {
            this.id = id;
        }
    }

    /** The inner part of {@link Address}. */
    @Embeddable
    public record Area(
            @Convert(converter = SupportedValues.SerialColumn.class)
            SupportedValues.Serial serial,

            @JdbcTypeCode(SqlTypes.BINARY) UUID token,
            UUID plain)
            implements Serializable {}

    /** An id with parts of every supported type. */
    @Embeddable
    public record Address(
            String zone,
            Area area,

            @Convert(converter = SupportedValues.TagColumn.class)
            SupportedValues.Tag tag,

            @Enumerated(EnumType.STRING) State name,
            @Enumerated(EnumType.ORDINAL) State position,
            @JdbcTypeCode(SqlTypes.NAMED_ENUM) State named,
            boolean flag,
            @Column(columnDefinition = "char(1)") char letter)
            implements Serializable {}

    @Entity(name = "AtAddress")
    public static class AtAddress extends Keyed {

        @EmbeddedId
        @org.jspecify.annotations.Nullable
        Address id;

        protected AtAddress() {}

        public AtAddress(Address id) {
            this.id = id;
        }
    }

    /** The id class of {@link OfClass}. It does not override {@code toString}. */
    public static class Pair implements Serializable {

        private static final long serialVersionUID = 1L;

        private String zone = "";
        private Integer number = 0;

        protected Pair() {}

        public Pair(String zone, Integer number) {
            this.zone = zone;
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Pair pair && zone.equals(pair.zone) && number.equals(pair.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(zone, number);
        }
    }

    @IdClass(Pair.class)
    @Entity(name = "OfClass")
    public static class OfClass extends Keyed {

        @Id
        String zone = "";

        @Id
        Integer number = 0;

        protected OfClass() {}

        public OfClass(Pair id) {
            this.zone = id.zone;
            this.number = id.number;
        }
    }

    /** The id of {@link OfRecord}. */
    public record Code(String zone, Short number, UUID token) implements Serializable {}

    @IdClass(Code.class)
    @Entity(name = "OfRecord")
    public static class OfRecord extends Keyed {

        @Id
        Short number = 0;

        @Id
        UUID token = new UUID(0, 0);

        @Id
        String zone = "";

        protected OfRecord() {}

        public OfRecord(Code id) {
            this.number = id.number;
            this.token = id.token;
            this.zone = id.zone;
        }
    }

    @Entity(name = "Depot")
    public static class Depot {

        @Id
        Long id = 0L;

        protected Depot() {}

        Depot(Long id) {
            this.id = id;
        }
    }

    /** The id of {@link OfDepot}. */
    public record Numbered(Long depot, Integer number) implements Serializable {}

    /** A part of the id is an association. */
    @IdClass(Numbered.class)
    @Entity(name = "OfDepot")
    public static class OfDepot extends Keyed {

        @Id
        @ManyToOne(cascade = CascadeType.PERSIST)
        Depot depot = new Depot();

        @Id
        Integer number = 0;

        protected OfDepot() {}

        public OfDepot(Numbered id) {
            this.depot = new Depot(id.depot);
            this.number = id.number;
        }
    }

    @Embeddable
    public record Shelf(Long storehouse, String name) implements Serializable {}

    /** A part of the id is the id of another entity. The association with {@code @MapsId} sets this part. */
    @Entity(name = "OnShelf")
    public static class OnShelf extends Keyed {

        @EmbeddedId
        Shelf id = new Shelf(0L, "");

        @MapsId("storehouse")
        @ManyToOne(cascade = CascadeType.PERSIST)
        Storehouse storehouse = new Storehouse();

        protected OnShelf() {}

        public OnShelf(Shelf id) {
            this.id = id;
            this.storehouse = new Storehouse(id.storehouse);
        }
    }

    @Entity(name = "Storehouse")
    public static class Storehouse {

        @Id
        Long id = 0L;

        protected Storehouse() {}

        Storehouse(Long id) {
            this.id = id;
        }
    }

    /**
     * Has the version. The subclass has the status, in a table whose key columns have other names and another order.
     */
    @Entity(name = "Machine")
    @Inheritance(strategy = InheritanceType.JOINED)
    public abstract static class Machine {

        @EmbeddedId
        Slot id = new Slot("", 0L);

        @Version
        long version;
    }

    @Entity(name = "Crane")
    @PrimaryKeyJoinColumn(name = "crane_number", referencedColumnName = "number")
    @PrimaryKeyJoinColumn(name = "crane_shop", referencedColumnName = "shop")
    public static class Crane extends Machine {

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        protected Crane() {}

        public Crane(Slot id) {
            this.id = id;
        }
    }

    /** The status is in a table whose key columns have other names and another order. */
    @Entity(name = "Halved")
    @SecondaryTable(
            name = "halved_state",
            pkJoinColumns = {
                @PrimaryKeyJoinColumn(name = "half_number", referencedColumnName = "number"),
                @PrimaryKeyJoinColumn(name = "half_shop", referencedColumnName = "shop")
            })
    public static class Halved {

        @EmbeddedId
        Slot id = new Slot("", 0L);

        @Column(table = "halved_state")
        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        int version;

        protected Halved() {}

        public Halved(Slot id) {
            this.id = id;
        }
    }
}
