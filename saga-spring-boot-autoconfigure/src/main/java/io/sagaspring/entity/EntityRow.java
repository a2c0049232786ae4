package io.sagaspring.entity;

/**
 * The status and version of an entity's row at one moment.
 *
 * @param status the name of the status
 * @param version the version
 * @since 0.1.0
 */
public record EntityRow(String status, long version) {}
