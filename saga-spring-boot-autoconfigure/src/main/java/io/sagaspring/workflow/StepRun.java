package io.sagaspring.workflow;

import io.sagaspring.claim.Claim;
import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.FencingToken;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One run of one step.
 *
 * @param request what the caller asked for
 * @param of the workflow
 * @param definition the step
 * @param id the entity's id, of its own type
 * @param claim what protects the run, or null where it runs unclaimed
 */
record StepRun(
        TransitionRequest request,
        Workflow of,
        StepDefinition definition,
        Object id,
        @Nullable Claim claim) implements ActionContext {

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
            throw new IllegalArgumentException("Step '%s' of workflow '%s' needs an input of type %s and was given %s."
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

    /** The version that the action must meet: what was claimed, or what the caller has seen. */
    OptionalLong expectedVersion() {
        return claim == null ? request.version() : OptionalLong.of(claim.version());
    }

    /** Where a success leads. */
    String target() {
        return definition.successfulState().of(requester()).orElseThrow();
    }

    /** The status in which the action meets the entity. */
    String statusDuringAction() {
        return claim == null ? definition.status() : claim.state().into();
    }

    @Override
    public String toString() {
        return request.toString();
    }
}
