package io.sagaspring.entity.refused;

import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;

/** Entities whose ids are refused. */
public final class RefusedIds {

    private RefusedIds() {}

    @Embeddable
    public record Key(String shop, Long number) implements Serializable {}

    public static class Pair implements Serializable {

        private static final long serialVersionUID = 1L;

        String shop = "";
        Long number = 0L;

        @Override
        public boolean equals(Object other) {
            return other instanceof Pair pair && shop.equals(pair.shop) && number.equals(pair.number);
        }

        @Override
        public int hashCode() {
            return shop.hashCode();
        }
    }

    @Entity(name = "WithEmbeddedId")
    public static class WithEmbeddedId {

        @EmbeddedId
        Key id = new Key("", 0L);

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @IdClass(Pair.class)
    @Entity(name = "WithIdClass")
    public static class WithIdClass {

        @Id
        String shop = "";

        @Id
        Long number = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "WithBinaryUuid")
    public static class WithBinaryUuid {

        @Id
        @JdbcTypeCode(SqlTypes.BINARY)
        UUID id = new UUID(0, 0);

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "WithInstantId")
    public static class WithInstantId {

        @Id
        Instant id = Instant.EPOCH;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }
}
