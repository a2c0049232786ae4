package io.sagaspring.jdbc;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The parameters of a statement. The places of each name are found once, because calls bind by name.
 *
 * @param names the name at each place, in order
 * @param places the places of each name, in order
 */
record Parameters(List<String> names, Map<String, List<Integer>> places) {

    static Parameters of(List<String> names) {
        Map<String, List<Integer>> places = new HashMap<>();
        for (int place = 0; place < names.size(); place++) {
            places.computeIfAbsent(names.get(place), name -> new ArrayList<>()).add(place);
        }
        places.replaceAll((name, each) -> List.copyOf(each));
        return new Parameters(List.copyOf(names), Map.copyOf(places));
    }

    Parameters then(Parameters next) {
        List<String> all = new ArrayList<>(names);
        all.addAll(next.names);
        return of(all);
    }

    /** Returns the places of a name, which are none if there is no such parameter. */
    List<Integer> of(String name) {
        return places.getOrDefault(name, List.of());
    }
}
