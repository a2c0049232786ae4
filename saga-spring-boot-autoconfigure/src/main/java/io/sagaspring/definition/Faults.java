package io.sagaspring.definition;

import java.util.ArrayList;
import java.util.List;

/** Collects all faults, so that one start of the application reports all of them. */
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

    /**
     * Returns true if this setting or a setting below it has a fault. Compares full paths, because the path in a fault
     * may be truncated.
     */
    boolean concern(Setting setting) {
        return paths.stream().anyMatch(path -> path.equals(setting.path()) || path.startsWith(setting.path() + "."));
    }

    int count() {
        return found.size();
    }
}
