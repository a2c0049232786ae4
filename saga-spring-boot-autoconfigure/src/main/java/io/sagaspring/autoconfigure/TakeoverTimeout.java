package io.sagaspring.autoconfigure;

import java.time.Duration;

/**
 * After how much silence something may be taken over. The keeper beats more often than the shortest.
 *
 * @param duration the time
 */
record TakeoverTimeout(Duration duration) {}
