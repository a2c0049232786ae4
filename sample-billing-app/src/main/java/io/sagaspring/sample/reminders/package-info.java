/**
 * Reminders, whose action mails directly instead of using an after-effect. They show the purpose of a claim state:
 * {@code admin} claims, while {@code system} relies on the version check alone. Start reading at {@link
 * io.sagaspring.sample.reminders.SendReminder}.
 */
@NullMarked
package io.sagaspring.sample.reminders;

import org.jspecify.annotations.NullMarked;
