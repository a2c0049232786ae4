package io.sagaspring.autoconfigure;

/**
 * The display name of this node. Ownership is decided by tokens, never by this name.
 *
 * @param value the process and host, with a random part that distinguishes it from earlier processes
 */
record NodeName(String value) {}
