package io.sagaspring.definition;

/** A claim as it was written. */
record ClaimRead(Named into, Named revertTo) {

    ClaimPair pair() {
        return new ClaimPair(into.text(), revertTo.text());
    }
}
