package io.sagaspring.autoconfigure;

/**
 * The display name of this node. Ownership is decided by tokens, never by this name.
 *
 * @param value the process and the host, with a random part that distinguishes this process from earlier ones
 * @since 0.1.0
 */
public record NodeName(String value) {}
