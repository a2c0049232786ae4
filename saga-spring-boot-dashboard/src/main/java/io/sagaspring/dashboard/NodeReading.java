package io.sagaspring.dashboard;

import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.fence.NodeLoad;
import io.sagaspring.fence.NodeLoads;
import io.sagaspring.idempotency.StoredKeys;
import io.sagaspring.lease.StoredLeases;
import io.sagaspring.listener.DeliveryStore;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunStore;
import io.sagaspring.workflow.Workflows;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the nodes that hold something now, from the rows that they hold. The tables contain neither the versions of the
 * nodes nor their code, so these are known of this node only.
 */
final class NodeReading {

    private static final int MOST_CLAIMS = 1_000;

    /** Stands for the node of an entity that is in a claim state without a claim. */
    private static final String NO_NODE = "-";

    private final DashboardSources sources;

    NodeReading(DashboardSources sources) {
        this.sources = sources;
    }

    /** The nodes. The numbers are complete unless a count has ended at its limit. */
    record Nodes(List<NodeItem> items, boolean complete) {}

    /** A node. What only the node itself knows is null for all others. */
    record NodeItem(
            String name,
            boolean here,
            Map<String, Integer> holds,
            @Nullable Instant heartbeatAt,
            @Nullable String version,
            @Nullable String library,
            @Nullable List<String> executes) {}

    Object list(DashboardQuery query) {
        Found found = new Found();
        found.add("runs", sources.find(RunStore.class), RunStore::loads);
        found.add("claims", sources.find(ClaimService.class), NodeReading::loads);
        found.add("deliveries", sources.find(DeliveryStore.class), DeliveryStore::loads);
        found.add("leases", sources.find(StoredLeases.class), StoredLeases::loads);
        found.add("keys", sources.find(StoredKeys.class), StoredKeys::loads);
        String here = sources.node();
        found.node(here);
        return new Nodes(
                found.nodes.entrySet().stream()
                        .map(each -> item(
                                each.getKey(), each.getValue(), each.getKey().equals(here)))
                        .toList(),
                found.isComplete);
    }

    private NodeItem item(String name, Holding holding, boolean isHere) {
        return new NodeItem(
                name,
                isHere,
                holding.numbers,
                holding.heartbeatAt,
                isHere ? sources.version() : null,
                isHere ? NodeReading.class.getPackage().getImplementationVersion() : null,
                isHere ? executes() : null);
    }

    private List<String> executes() {
        List<String> names = new ArrayList<>();
        RunEngine engine = sources.find(RunEngine.class);
        if (engine != null) {
            names.addAll(engine.names());
        }
        Workflows workflows = sources.find(Workflows.class);
        if (workflows != null) {
            workflows.definitions().forEach(each -> names.add(each.name()));
        }
        return names.stream().distinct().sorted().toList();
    }

    private static NodeLoads loads(ClaimService claims) {
        List<ClaimedRow> rows = claims.listBySilence(null, MOST_CLAIMS);
        return new NodeLoads(
                rows.stream()
                        .filter(each -> !each.node().equals(NO_NODE))
                        .map(each -> new NodeLoad(
                                each.node(),
                                1,
                                each.claimedAt()
                                        .plus(each.age())
                                        .minus(each.silentFor())
                                        .truncatedTo(ChronoUnit.SECONDS)))
                        .toList(),
                rows.size() < MOST_CLAIMS);
    }

    private static final class Holding {

        private final Map<String, Integer> numbers = new TreeMap<>();
        private @Nullable Instant heartbeatAt;

        void add(String kind, NodeLoad load) {
            numbers.merge(kind, load.held(), Integer::sum);
            if (heartbeatAt == null || heartbeatAt.isBefore(load.heartbeatAt())) {
                heartbeatAt = load.heartbeatAt();
            }
        }
    }

    private static final class Found {

        private final Map<String, Holding> nodes = new TreeMap<>();
        private boolean isComplete = true;

        <T> void add(String kind, @Nullable T capability, Function<T, NodeLoads> reading) {
            if (capability != null) {
                NodeLoads loads = reading.apply(capability);
                isComplete &= loads.isComplete();
                loads.nodes().forEach(each -> node(each.node()).add(kind, each));
            }
        }

        Holding node(String name) {
            return nodes.computeIfAbsent(name, unused -> new Holding());
        }
    }
}
