package io.sagaspring.entity;

/**
 * What an entity's row says at one moment.
 *
 * @param status the name of its status
 * @param version its version
 * @since 0.1.0
 */
public record EntityRow(String status, long version) {}
