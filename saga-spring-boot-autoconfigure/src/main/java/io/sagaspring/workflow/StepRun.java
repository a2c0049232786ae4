package io.sagaspring.workflow;

import io.sagaspring.claim.Claim;
import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.entity.ExpectedEntity;
import io.sagaspring.fence.FencingToken;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One call of a step.
 *
 * @param request the request of the caller
 * @param of the workflow
 * @param definition the step's definition
 * @param id the entity's id, converted to the type of the entity's ids
 * @param claim the claim, or null if the step runs without one
 * @param tenant the tenant for which the step runs, or null if there is none
 */
record StepRun(
        TransitionRequest request,
        Workflow of,
        StepDefinition definition,
        Object id,
        @Nullable Claim claim,
        @Nullable String tenant)
        implements ActionContext {

    /**
     * Requires that the application's code has not changed the tenant.
     *
     * @throws IllegalStateException if the current tenant is not the step's tenant
     */
    void requireSameTenant() {
        String now = table().tenant();
        if (!Objects.equals(now, tenant)) {
            throw new IllegalStateException(
                    "%s began for tenant '%s', but its code has changed the tenant to '%s'. Restore the tenant at the end of the code that changes it."
                            .formatted(this, tenant, now));
        }
    }

    EntityTable table() {
        return of.table();
    }

    @Override
    public String workflow() {
        return of.name();
    }

    @Override
    public String step() {
        return definition.key();
    }

    @Override
    public Requester requester() {
        return request.requester();
    }

    @Override
    public <T> T input(Class<T> type) {
        Object input = request.input();
        if (!type.isInstance(input)) {
            throw new IllegalArgumentException("Step '%s' of workflow '%s' needs an input of type %s but was given %s."
                    .formatted(
                            step(),
                            workflow(),
                            type.getSimpleName(),
                            input == null ? "none" : input.getClass().getSimpleName()));
        }
        return type.cast(input);
    }

    @Override
    public Optional<FencingToken> token() {
        return Optional.ofNullable(claim).map(Claim::token);
    }

    /**
     * Returns the status and the version in which the action must find the entity. If the step has a claim, the claim
     * has written both.
     */
    ExpectedEntity expected() {
        return claim == null
                ? new ExpectedEntity(id, definition.status(), request.version(), false)
                : new ExpectedEntity(id, claim.state().into(), OptionalLong.of(claim.version()), true);
    }

    /** Returns the status that the entity gets when the step succeeds. */
    String target() {
        return definition.successfulState().of(requester()).orElseThrow();
    }

    /** Returns the name of the action's bean. */
    String action() {
        return definition.action().of(requester()).orElseThrow();
    }

    /** Returns the status that the entity has while the action runs. */
    String statusDuringAction() {
        return claim == null ? definition.status() : claim.state().into();
    }

    @Override
    public String toString() {
        return request.on(table().text(id));
    }
}
