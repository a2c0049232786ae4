package io.sagaspring.definition;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The configuration of a step, as far as it could be read. */
record StepRead(
        Setting from,
        @Nullable Integer id,
        @Nullable Named key,
        @Nullable Named status,
        ByRequester<ClaimRead> claims,
        ByRequester<Named> successes,
        ByRequester<Named> validations,
        ByRequester<Named> actions,
        ByRequester<Named> afterEffects) {

    boolean isOpenTo(String requester) {
        return actions.has(requester) && successes.has(requester);
    }

    boolean leadsTo(String state) {
        return successes.values().stream().anyMatch(success -> success.text().equals(state));
    }

    boolean startsFrom(String state) {
        return status != null && status.text().equals(state);
    }

    /** Returns the state from which this step starts, and every state to which it leads. */
    List<Named> restingStates() {
        List<Named> resting = new java.util.ArrayList<>(successes.values());
        if (status != null) {
            resting.add(0, status);
        }
        return resting;
    }

    /** Returns the step's name for messages. */
    String label() {
        String number = id == null ? "" : " " + id;
        return "step" + number + (key == null ? "" : " " + key.quoted());
    }

    StepDefinition definition() {
        return definition(
                Objects.requireNonNull(id),
                Objects.requireNonNull(key).text(),
                Objects.requireNonNull(status).text());
    }

    /**
     * Returns the definition, as far as it could be read, so that its names can be checked. An unreadable name is
     * empty, and an unreadable id is -1.
     */
    StepDefinition asFarAsRead() {
        return definition(id == null ? -1 : id, key == null ? "" : key.text(), status == null ? "" : status.text());
    }

    private StepDefinition definition(int number, String name, String from) {
        return new StepDefinition(
                number,
                name,
                from,
                claims.map(ClaimRead::pair),
                successes.map(Named::text),
                validations.map(Named::text),
                actions.map(Named::text),
                afterEffects.map(Named::text));
    }
}
