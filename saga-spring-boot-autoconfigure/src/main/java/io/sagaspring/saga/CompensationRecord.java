package io.sagaspring.saga;

/**
 * What is journaled of an undo.
 *
 * @param empty whether there may have been nothing to undo
 */
record CompensationRecord(boolean empty) {}
