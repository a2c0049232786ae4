package io.sagaspring.method;

import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a call.
 *
 * @param parameters the parameters of the method
 * @param values the value of each parameter
 * @since 0.1.0
 */
public record Arguments(List<Parameter> parameters, List<@Nullable Object> values) {

    /**
     * A parameter of a method.
     *
     * @param name its name in the source, or null if the compiler did not keep the name
     * @param type its declared type
     */
    public record Parameter(@Nullable String name, Type type) {

        /**
         * Returns the form in which messages refer to the parameter.
         *
         * @param index the parameter's index, starting at 0
         * @return the name, or a number such as {@code p0} if the compiler did not keep the name
         */
        public String nameOrNumber(int index) {
            return name == null ? number(index) : name;
        }
    }

    static String number(int index) {
        return "p" + index;
    }

    /**
     * Returns the arguments as the variables that an expression can use.
     *
     * @return the arguments by number, such as {@code p0}, and also by name where the name is known
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
