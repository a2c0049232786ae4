/**
 * Reminders, whose action mails by itself instead of leaving that to an after-effect. So it shows what a claim state is for: an
 * {@code admin} claims, and {@code system} has the version alone. Start reading at {@link io.sagaspring.sample.reminders.SendReminder}.
 */
@NullMarked
package io.sagaspring.sample.reminders;

import org.jspecify.annotations.NullMarked;
