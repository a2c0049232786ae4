package io.sagaspring.entity.refused;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.Version;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.annotations.TenantId;

/** Entities with rows that a claim would not see or could not write. */
public final class RefusedRows {

    private RefusedRows() {}

    @SoftDelete
    @Entity(name = "SoftDeleted")
    public static class SoftDeleted {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @SQLRestriction("status <> 'CLOSED'")
    @Entity(name = "Restricted")
    public static class Restricted {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Immutable
    @Entity(name = "Unchangeable")
    public static class Unchangeable {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "OfATenant")
    public static class OfATenant {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        @TenantId
        String tenant = "";
    }

    @Inheritance(strategy = InheritanceType.SINGLE_TABLE)
    @Entity(name = "InOneTable")
    public static class InOneTable {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "InTheTableOfItsParent")
    public static class InTheTableOfItsParent extends InOneTable {}

    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    @Entity(name = "InATableForEach")
    public static class InATableForEach {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "InATableOfItsOwn")
    public static class InATableOfItsOwn extends InATableForEach {}
}
