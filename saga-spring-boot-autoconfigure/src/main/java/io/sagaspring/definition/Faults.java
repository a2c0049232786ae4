package io.sagaspring.definition;

import java.util.ArrayList;
import java.util.List;

/** Collects all faults, so that one start reports every one. */
final class Faults {

    private final List<Fault> found = new ArrayList<>();

    private final List<String> paths = new ArrayList<>();

    void add(Rule rule, Setting at, String sentence) {
        paths.add(at.path());
        found.add(new Fault(at.path(), rule.shortName(), sentence, at.place()));
    }

    List<Fault> found() {
        return List.copyOf(found);
    }

    /** Returns true if a fault is in this setting or below. Compares uncut paths: the path in a fault may be cut. */
    boolean concern(Setting setting) {
        return paths.stream().anyMatch(path -> path.equals(setting.path()) || path.startsWith(setting.path() + "."));
    }

    int count() {
        return found.size();
    }
}
