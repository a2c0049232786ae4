package io.sagaspring.entity.supported;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;

/** Entities with quoted table names, a cache, or two tables. Each constructor takes the id. New entities are open. */
public final class SupportedTables {

    private SupportedTables() {}

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

    /** An entity in the second-level cache. Flips bypass the cache. */
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
}
