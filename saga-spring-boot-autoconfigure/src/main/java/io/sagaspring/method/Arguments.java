package io.sagaspring.method;

import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a method is called with.
 *
 * @param parameters of the method
 * @param values of each
 * @since 0.1.0
 */
public record Arguments(List<Parameter> parameters, List<@Nullable Object> values) {

    /**
     * One of a method.
     *
     * @param name as it is written, or null where the compiler has not kept it
     * @param type as it is declared
     */
    public record Parameter(@Nullable String name, Type type) {

        /**
         * What it is called where people read of it.
         *
         * @param index where it stands, from 0
         * @return its name, or its number where the compiler has not kept that
         */
        public String nameOrNumber(int index) {
            return name == null ? number(index) : name;
        }
    }

    static String number(int index) {
        return "p" + index;
    }

    /**
     * What expressions know.
     *
     * @return the arguments by name, where there is one, and by number
     */
    public Map<String, @Nullable Object> variables() {
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
}
