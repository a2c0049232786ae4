package io.sagaspring.entity;

import static io.sagaspring.entity.ClaimedShop.shop;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.definition.Requester;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.TransitionOutcome;
import java.util.List;

/** A kind of entity that can be claimed. The contracts of this package hold for each kind. */
interface Claimed {

    String workflow();

    /** Returns the names of the statuses: open, claimed and closed. */
    List<String> states();

    /** Saves an open entity and returns its id. */
    Object save();

    /** Reads the committed row. */
    EntityRow read(Object key);

    /**
     * Returns the status and version of the entity that an after-effect gets. If the after-effect gets only the id,
     * this method reads them from the table.
     */
    EntityRow row(Object key, Object instance);

    /** Changes the status in the way that an application would, and increments the version. */
    void writeStatus(Object key, String status);

    default ClaimState claimState() {
        return shop.bean(DeclaredClaimStates.class).all().stream()
                .filter(state -> state.workflow().equals(workflow()))
                .findFirst()
                .orElseThrow();
    }

    default EntityTable table() {
        return shop.bean(DeclaredClaimStates.class).tableOf(claimState());
    }

    /** Returns the spelling of an id over HTTP, in the ledger and in events. */
    default String text(Object key) {
        return table().text(key);
    }

    default TransitionOutcome close(Object key) {
        return close(key, Shop.ADMIN);
    }

    /** Runs the step. A requester other than {@link Shop#SYSTEM} claims the entity for the step. */
    default TransitionOutcome close(Object id, Requester requester) {
        return shop.workflows().run(workflow(), id, "close", requester);
    }

    default ClaimAttempt claim(Object key) {
        return shop.bean(ClaimService.class).tryClaim(claimState(), key, "admin");
    }

    /** Returns the settings of a workflow whose step closes an entity of this kind. */
    static List<String> settings(Claimed kind, Class<?> entity, String action, String follower) {
        String path = "saga.workflows.%s.".formatted(kind.workflow());
        List<String> states = kind.states();
        return List.of(
                path + "module=mapped",
                path + "entity=" + entity.getName(),
                path + "status-types=" + String.join(",", states),
                path + "requesters=admin,system,followed",
                path + "steps[0].step-id=1",
                path + "steps[0].step-key=close",
                path + "steps[0].status=" + states.get(0),
                path + "steps[0].claim-state.admin=" + states.get(1) + "," + states.get(0),
                path + "steps[0].claim-state.followed=" + states.get(1) + "," + states.get(0),
                path + "steps[0].successful-state.any=" + states.get(2),
                path + "steps[0].action.any=" + action,
                path + "steps[0].success-after-effect.followed=" + follower);
    }
}
