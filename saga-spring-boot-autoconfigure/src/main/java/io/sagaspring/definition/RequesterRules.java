package io.sagaspring.definition;

import java.util.HashMap;
import java.util.Map;

/** The rules for a list of requesters. */
final class RequesterRules {

    private final Faults faults;

    RequesterRules(Faults faults) {
        this.faults = faults;
    }

    void judge(NamesRead requesters) {
        Map<String, Named> undashed = new HashMap<>();
        for (Named requester : requesters.names()) {
            String relaxed = Key.relaxed(requester.text());
            if (relaxed.equals(Requester.ANY)) {
                faults.add(
                        Rule.REQUESTER_NAME,
                        requester.from(),
                        "%s cannot be a requester: in a step, 'any' stands for all that have no entry of their own."
                                        .formatted(requester.quoted())
                                + " Choose another name.");
            } else if (!Requester.isName(requester.text())) {
                faults.add(
                        Rule.REQUESTER_NAME,
                        requester.from(),
                        "A requester's name starts with a lower case letter and goes on with lower case letters, digits and"
                                + " dashes: %s does not. Rename it.".formatted(requester.quoted()));
            }
            Named other = undashed.putIfAbsent(relaxed, requester);
            if (other != null) {
                faults.add(
                        Rule.REQUESTER_DASHES,
                        requester.from(),
                        "%s and %s differ in dashes and case only, which Spring Boot does not tell apart in a key. Rename one."
                                .formatted(other.quoted(), requester.quoted()));
            }
        }
    }
}
