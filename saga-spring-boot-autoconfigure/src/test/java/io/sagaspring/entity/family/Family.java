package io.sagaspring.entity.family;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.Version;

/** Hierarchies with workflows on the root and on a subclass. Each constructor takes the id. New entities are open. */
public final class Family {

    private Family() {}

    @Inheritance(strategy = InheritanceType.SINGLE_TABLE)
    @Entity(name = "Ticket")
    public static class Ticket {

        @Id
        Long id = 0L;

        String status = "OPEN";

        @Version
        long version;

        protected Ticket() {}

        public Ticket(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Complaint")
    public static class Complaint extends Ticket {

        protected Complaint() {}

        public Complaint(Long id) {
            super(id);
        }
    }

    /** Has a second status. */
    @Entity(name = "Inquiry")
    public static class Inquiry extends Ticket {

        String answering = "OPEN";

        protected Inquiry() {}

        public Inquiry(Long id) {
            super(id);
        }
    }

    @Inheritance(strategy = InheritanceType.JOINED)
    @Entity(name = "Invoice")
    public static class Invoice {

        @Id
        Long id = 0L;

        String status = "OPEN";

        @Version
        long version;

        protected Invoice() {}

        public Invoice(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Reminder")
    public static class Reminder extends Invoice {

        protected Reminder() {}

        public Reminder(Long id) {
            super(id);
        }
    }
}
