package io.sagaspring.fence;

import java.util.List;

/**
 * The loads of the nodes that hold things of one kind.
 *
 * @param nodes the loads, ordered by the names of the nodes
 * @param isComplete true if everything was counted, false if the count has ended at its limit or is impossible
 * @since 0.1.0
 */
public record NodeLoads(List<NodeLoad> nodes, boolean isComplete) {

    /**
     * Returns the loads for a store that cannot count them.
     *
     * @return no nodes, marked as incomplete
     */
    public static NodeLoads unknown() {
        return new NodeLoads(List.of(), false);
    }
}
