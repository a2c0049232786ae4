package io.sagaspring.idempotency.method;

import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a method is called with.
 *
 * @param parameters of the method
 * @param values of each
 */
record Arguments(List<Parameter> parameters, List<@Nullable Object> values) {

    /**
     * One of a method.
     *
     * @param name as it is written, or null where the compiler has not kept it
     * @param type as it is declared
     */
    record Parameter(@Nullable String name, Type type) {}

    static String number(int index) {
        return "p" + index;
    }

    /** By name, where there is one, and by number. */
    Map<String, @Nullable Object> variables() {
        Map<String, @Nullable Object> variables = new HashMap<>();
        for (int each = 0; each < values.size(); each++) {
            variables.put(number(each), values.get(each));
            String name = parameters.get(each).name();
            if (name != null) {
                variables.put(name, values.get(each));
            }
        }
        return variables;
    }

    /** Each by itself, as what it is declared to be. */
    byte[][] written() {
        return IntStream.range(0, values.size())
                .mapToObj(each -> CanonicalJson.write(
                        values.get(each), parameters.get(each).type()))
                .toArray(byte[][]::new);
    }
}
