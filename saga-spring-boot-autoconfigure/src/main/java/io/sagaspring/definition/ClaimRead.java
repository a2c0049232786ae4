package io.sagaspring.definition;

/** A claim as written in the configuration. */
record ClaimRead(Named into, Named revertTo) {

    StepDefinition.ClaimPair pair() {
        return new StepDefinition.ClaimPair(into.text(), revertTo.text());
    }
}
