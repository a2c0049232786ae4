package io.sagaspring.entity.supported;

import jakarta.persistence.Access;
import jakarta.persistence.AccessType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.math.BigInteger;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;

/** Entities with each type of id. Each constructor takes the id. New entities are open. */
public final class SupportedIds {

    private SupportedIds() {}

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

    /** Uses property access. */
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

    /**
     * The statuses are not Java identifiers. Their property is not called {@code status}, and their column has a fixed
     * width.
     */
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

    /** The database pads the id with blanks. */
    @Entity(name = "NamedByFixedText")
    public static class NamedByFixedText {

        @Id
        @Column(columnDefinition = "char(20)")
        String id = "";

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected NamedByFixedText() {}

        public NamedByFixedText(String id) {
            this.id = id;
        }
    }

    /** The id is case-insensitive. */
    @Entity(name = "NamedByTextWithoutCase")
    public static class NamedByTextWithoutCase {

        @Id
        @Column(columnDefinition = "citext")
        String id = "";

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        protected NamedByTextWithoutCase() {}

        public NamedByTextWithoutCase(String id) {
            this.id = id;
        }
    }
}
