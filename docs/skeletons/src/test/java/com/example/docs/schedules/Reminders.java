package com.example.docs.schedules;

import java.time.Instant;
import org.springframework.stereotype.Component;

/** Stands in for the service that sends reminders. */
@Component
class Reminders {

    void send(Instant dueBefore, String key) {}
}
