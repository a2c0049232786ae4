package io.sagaspring.autoconfigure;

import java.time.Duration;

/**
 * The time after an owner's last heartbeat at which another owner may take over. The keeper's interval is shorter than
 * the shortest of all such times.
 *
 * @param duration the time
 */
record TakeoverTimeout(Duration duration) {}
