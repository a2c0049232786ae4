package io.sagaspring.entity.hidden;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Version;
import org.hibernate.annotations.Filter;
import org.hibernate.annotations.FilterDef;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.annotations.SoftDeleteType;
import org.hibernate.type.YesNoConverter;

/** Entities whose rows a test hides. Each constructor takes the id. New entities are open and not hidden. */
public final class Hidden {

    private Hidden() {}

    @MappedSuperclass
    public abstract static class Closable {

        @Id
        Long id = 0L;

        String status = "OPEN";

        @Version
        long version;

        protected Closable() {}

        protected Closable(Long id) {
            this.id = id;
        }
    }

    @SoftDelete
    @Entity(name = "HiddenByFlag")
    public static class HiddenByFlag extends Closable {

        protected HiddenByFlag() {}

        public HiddenByFlag(Long id) {
            super(id);
        }
    }

    @SoftDelete(strategy = SoftDeleteType.ACTIVE, converter = YesNoConverter.class)
    @Entity(name = "HiddenByLetter")
    public static class HiddenByLetter extends Closable {

        protected HiddenByLetter() {}

        public HiddenByLetter(Long id) {
            super(id);
        }
    }

    @SoftDelete(strategy = SoftDeleteType.TIMESTAMP)
    @Entity(name = "HiddenByTime")
    public static class HiddenByTime extends Closable {

        protected HiddenByTime() {}

        public HiddenByTime(Long id) {
            super(id);
        }
    }

    /** The OR in the restriction needs parentheses when it is combined with other predicates. */
    @SQLRestriction("hidden = false or hidden is null")
    @Entity(name = "HiddenByRestriction")
    public static class HiddenByRestriction extends Closable {

        boolean hidden;

        protected HiddenByRestriction() {}

        public HiddenByRestriction(Long id) {
            super(id);
        }
    }

    @SQLRestriction("hidden = false")
    @Inheritance(strategy = InheritanceType.SINGLE_TABLE)
    @Entity(name = "HiddenParent")
    public static class HiddenParent extends Closable {

        boolean hidden;

        protected HiddenParent() {}

        protected HiddenParent(Long id) {
            super(id);
        }
    }

    @Entity(name = "HiddenByParent")
    public static class HiddenByParent extends HiddenParent {

        protected HiddenByParent() {}

        public HiddenByParent(Long id) {
            super(id);
        }
    }

    /** The restriction is on the table of the version, and the status is in another table. */
    @SQLRestriction("hidden = false")
    @SecondaryTable(name = "hidden_state")
    @Entity(name = "HiddenInTwoTables")
    public static class HiddenInTwoTables {

        @Id
        Long id = 0L;

        @Column(table = "hidden_state")
        String status = "OPEN";

        @Version
        long version;

        boolean hidden;

        protected HiddenInTwoTables() {}

        public HiddenInTwoTables(Long id) {
            this.id = id;
        }
    }

    @FilterDef(name = "shown", autoEnabled = true, applyToLoadByKey = true, defaultCondition = "hidden = false")
    @Filter(name = "shown")
    @Entity(name = "HiddenByFilter")
    public static class HiddenByFilter extends Closable {

        boolean hidden;

        protected HiddenByFilter() {}

        public HiddenByFilter(Long id) {
            super(id);
        }
    }

    /** The claim state itself hides the row. */
    @SQLRestriction("status <> 'CLOSING'")
    @Entity(name = "HiddenByClaim")
    public static class HiddenByClaim extends Closable {

        protected HiddenByClaim() {}

        public HiddenByClaim(Long id) {
            super(id);
        }
    }
}
