package io.sagaspring.entity.spelled;

import io.sagaspring.entity.supported.State;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Version;
import java.math.BigInteger;

/** Entities whose ids have several spellings. New entities are open. */
public final class Spelled {

    private Spelled() {}

    /** The database pads the id with blanks, and drops the blanks when it casts the id to text. */
    @Entity(name = "Padded")
    public static class Padded {

        @Id
        @Column(columnDefinition = "char(20)")
        String id = "";

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        String note = "";

        @Version
        long version;
    }

    /** The id is case-insensitive. */
    @Entity(name = "Caseless")
    public static class Caseless {

        @Id
        @Column(columnDefinition = "citext")
        String id = "";

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        String note = "";

        @Version
        long version;
    }

    /** The database pads the id, and a flip needs two statements. */
    @Entity(name = "PaddedSplit")
    @SecondaryTable(name = "padded_split_state")
    public static class PaddedSplit {

        @Id
        @Column(columnDefinition = "char(20)")
        String id = "";

        @Column(table = "padded_split_state")
        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        String note = "";

        @Version
        long version;
    }

    /** The database adds two decimal places to the id. */
    @Entity(name = "Scaled")
    public static class Scaled {

        @Id
        @Column(columnDefinition = "numeric(20,2)")
        BigInteger id = BigInteger.ZERO;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        String note = "";

        @Version
        long version;
    }
}
