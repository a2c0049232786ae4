package io.sagaspring.sample.reminders;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;

@Entity
class Reminder {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    private String about;

    @Enumerated(EnumType.STRING)
    private ReminderStatus status = ReminderStatus.WRITTEN;

    @Version
    private long version;

    // Creates an empty object for JPA, which sets the fields.
    @SuppressWarnings("NullAway.Init")
    protected Reminder() {}

    Reminder(String about) {
        this.about = about;
    }

    @Nullable
    Long id() {
        return id;
    }

    String about() {
        return about;
    }

    ReminderStatus status() {
        return status;
    }

    long version() {
        return version;
    }
}
