package io.sagaspring.sample.reminders;

import org.springframework.data.jpa.repository.JpaRepository;

interface Reminders extends JpaRepository<Reminder, Long> {}
