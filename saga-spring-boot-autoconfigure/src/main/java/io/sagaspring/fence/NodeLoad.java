package io.sagaspring.fence;

import java.time.Instant;

/**
 * The number of things of one kind that a node holds now.
 *
 * @param node the display name of the node
 * @param held the number of things
 * @param heartbeatAt the time of the node's latest heartbeat for one of them, by the database clock
 * @since 0.1.0
 */
public record NodeLoad(String node, int held, Instant heartbeatAt) {}
