package io.sagaspring.entity.refused;

import jakarta.persistence.DiscriminatorValue;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.Version;
import org.hibernate.annotations.DiscriminatorFormula;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.annotations.TenantId;

/** Entities with rows that a claim could not find or could not write. */
public final class RefusedRows {

    private RefusedRows() {}

    @SQLRestriction("tags ? 'open'")
    @Entity(name = "WithOperator")
    public static class WithOperator {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @SQLRestriction("tags[1:number] is not null")
    @Entity(name = "WithColon")
    public static class WithColon {

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

    @DiscriminatorFormula("case when id < 0 then 'a' else 'b' end")
    @DiscriminatorValue("a")
    @Entity(name = "InOneTable")
    public static class InOneTable {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @DiscriminatorValue("b")
    @Entity(name = "ByFormula")
    public static class ByFormula extends InOneTable {}

    @Entity(name = "WithTheRest")
    public static class WithTheRest {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @DiscriminatorValue("not null")
    @Entity(name = "TheRest")
    public static class TheRest extends WithTheRest {}

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
