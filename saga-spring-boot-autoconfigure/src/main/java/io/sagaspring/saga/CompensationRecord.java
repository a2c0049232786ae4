package io.sagaspring.saga;

/**
 * The journaled result of a compensation.
 *
 * @param empty true if there may have been nothing to compensate
 */
record CompensationRecord(boolean empty) {}
