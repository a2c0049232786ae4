package io.sagaspring.jdbc;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The parameters of a statement. A call binds values by name, so the places of each name are found once, in advance. A
 * place is the position of a question mark in the text.
 */
final class Parameters {

    private static final int[] NOWHERE = {};

    private final List<String> names;
    private final Map<String, int[]> places = new HashMap<>();

    /**
     * Finds the places of each name.
     *
     * @param names the name at each place, in order
     */
    Parameters(List<String> names) {
        this.names = List.copyOf(names);
        for (String name : names) {
            places.computeIfAbsent(name, this::find);
        }
    }

    private int[] find(String name) {
        return IntStream.range(0, names.size())
                .filter(place -> names.get(place).equals(name))
                .toArray();
    }

    Parameters then(Parameters next) {
        List<String> all = new ArrayList<>(names);
        all.addAll(next.names);
        return new Parameters(all);
    }

    int count() {
        return names.size();
    }

    String name(int place) {
        return names.get(place);
    }

    /**
     * Returns the places of a name, in order. The array is empty if there is no such parameter. The caller must not
     * change the array.
     */
    int[] places(String name) {
        return places.getOrDefault(name, NOWHERE);
    }
}
