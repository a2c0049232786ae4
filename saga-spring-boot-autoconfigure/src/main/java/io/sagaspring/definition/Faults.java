package io.sagaspring.definition;

import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong, so that one start shows all of it. */
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

    /** Asks the paths as they were written: in a fault they may have been cut. */
    boolean concern(Setting setting) {
        return paths.stream().anyMatch(path -> path.equals(setting.path()) || path.startsWith(setting.path() + "."));
    }

    int count() {
        return found.size();
    }
}
