package io.sagaspring.actuate;

import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.due.Backlog;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How claims stood when the database was asked.
 *
 * @param oldest the claim that has lasted longest, if there is any
 * @param stuck how many claims are past their window, by module
 * @param parked how much due work waits for a person
 * @param backlog what is due and not picked up, by queue
 */
record ClaimFacts(@Nullable ClaimedRow oldest, Map<String, Integer> stuck, int parked, List<Backlog> backlog) {}
