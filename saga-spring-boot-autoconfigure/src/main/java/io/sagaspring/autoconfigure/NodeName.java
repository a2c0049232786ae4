package io.sagaspring.autoconfigure;

/**
 * How this node shows to people. Who holds what is decided by tokens, never by this.
 *
 * @param value process and host, and a part that no earlier process of this machine had
 */
record NodeName(String value) {}
