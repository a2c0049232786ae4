package io.sagaspring.janitor;

import static java.util.stream.Collectors.joining;

import io.sagaspring.claim.ClaimState;
import io.sagaspring.startup.StartupFaultException;
import java.util.List;

/** Thrown when claim states have no janitor, so that an entity could stay stuck in them forever. */
final class UncoveredClaimStatesException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    UncoveredClaimStatesException(List<ClaimState> states) {
        this(states.stream().map(UncoveredClaimStatesException::sentence).collect(joining("\n")));
    }

    private UncoveredClaimStatesException(String sentences) {
        super(
                sentences,
                "An entity can get stuck in these states, and nothing would free it:%n%n%s".formatted(sentences),
                "For each module, add a bean whose class is annotated @ClaimJanitor and extends ScheduledClaimJanitor, or set saga.janitor.modules.<module>.default-janitor=true.");
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
