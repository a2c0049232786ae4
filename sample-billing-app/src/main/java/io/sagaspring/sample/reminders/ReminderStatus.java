package io.sagaspring.sample.reminders;

enum ReminderStatus {
    WRITTEN,
    SENDING,
    SENT
}
