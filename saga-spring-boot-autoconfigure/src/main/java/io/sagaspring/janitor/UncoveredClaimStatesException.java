package io.sagaspring.janitor;

import static java.util.stream.Collectors.joining;

import io.sagaspring.claim.ClaimState;
import java.util.List;

/**
 * An entity can get stuck in these claim states, and no janitor would free it. The application must not start.
 *
 * @since 0.1.0
 */
public final class UncoveredClaimStatesException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<ClaimState> states;

    UncoveredClaimStatesException(List<ClaimState> states) {
        super(states.stream().map(UncoveredClaimStatesException::sentence).collect(joining("\n")));
        this.states = List.copyOf(states);
    }

    /**
     * What is not covered.
     *
     * @return every claim state without a janitor
     */
    public List<ClaimState> states() {
        return states;
    }

    private static String sentence(ClaimState state) {
        return "Claim state %s of workflow '%s' (module '%s', entity %s) has no janitor. Add a bean annotated @ClaimJanitor(module = \"%s\")."
                .formatted(
                        state.into(),
                        state.workflow(),
                        state.module(),
                        state.entity().getName(),
                        state.module());
    }
}
