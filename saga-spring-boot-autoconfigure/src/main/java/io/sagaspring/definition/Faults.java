package io.sagaspring.definition;

import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong, so that one start shows all of it. */
final class Faults {

    private final List<Fault> found = new ArrayList<>();

    void add(Rule rule, Setting at, String sentence) {
        found.add(new Fault(Printable.path(at.path()), rule.shortName(), sentence, at.place()));
    }

    List<Fault> found() {
        return List.copyOf(found);
    }

    int count() {
        return found.size();
    }
}
