package io.sagaspring.entity.described;

import io.sagaspring.entity.EntityRow;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.relational.core.mapping.Table;

/** Entities of tables that an application describes. */
public interface Described {

    EntityRow row();

    /** Creates an entity. Its class has a constructor that takes the id and the row. */
    static Object create(Class<?> type, Object id, EntityRow row) {
        try {
            return type.getConstructor(Object.class, EntityRow.class).newInstance(id, row);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    enum Phase {
        OPEN,
        CLOSING,
        CLOSED;

        public String code() {
            return "c-" + name().length();
        }
    }

    record Slot(String place, long number) {}

    record Ticket(long number) {}

    record ByLong(Object id, EntityRow row) implements Described {}

    record ByInteger(Object id, EntityRow row) implements Described {}

    record ByUuid(Object id, EntityRow row) implements Described {}

    record ByText(Object id, EntityRow row) implements Described {}

    record ByPaddedText(Object id, EntityRow row) implements Described {}

    record ByBigNumber(Object id, EntityRow row) implements Described {}

    record InSlot(Object id, EntityRow row) implements Described {}

    record WithTicket(Object id, EntityRow row) implements Described {}

    record OfNamedEnum(Object id, EntityRow row) implements Described {}

    record OfJavaEnum(Object id, EntityRow row) implements Described {}

    record OfOrdinal(Object id, EntityRow row) implements Described {}

    record OfCode(Object id, EntityRow row) implements Described {}

    record OfNumber(Object id, EntityRow row) implements Described {}

    record Elsewhere(Object id, EntityRow row) implements Described {}

    record Modified(Object id, EntityRow row) implements Described {}

    /** An aggregate of Spring Data JDBC. */
    @Table("invoice")
    record Invoice(@Id long id, String status, @Version long version, String note) implements Described {

        @Override
        public EntityRow row() {
            return new EntityRow(status, version);
        }

        public Invoice noted(String text) {
            return new Invoice(id, status, version, text);
        }

        public Invoice in(String other) {
            return new Invoice(id, other, version, note);
        }
    }
}
