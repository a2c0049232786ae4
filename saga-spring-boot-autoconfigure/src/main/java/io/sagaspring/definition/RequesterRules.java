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
                        "A requester cannot be named %s: in a step, 'any' stands for all requesters without an entry of their own."
                                        .formatted(requester.quoted())
                                + " Choose another name.");
            } else if (!Requester.isName(requester.text())) {
                faults.add(
                        Rule.REQUESTER_NAME,
                        requester.from(),
                        "A requester's name must start with a lower case letter and contain only lower case letters, digits and"
                                + " dashes, but it is %s. Rename it.".formatted(requester.quoted()));
            }
            Named other = undashed.putIfAbsent(relaxed, requester);
            if (other != null) {
                faults.add(
                        Rule.REQUESTER_DASHES,
                        requester.from(),
                        "Requesters %s and %s differ only in dashes or case, which Spring Boot ignores in keys. Rename one."
                                .formatted(other.quoted(), requester.quoted()));
            }
        }
    }
}
