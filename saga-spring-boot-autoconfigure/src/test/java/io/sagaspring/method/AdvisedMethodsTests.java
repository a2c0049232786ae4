package io.sagaspring.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdvisedMethodsTests {

    @Retention(RetentionPolicy.RUNTIME)
    @interface Marked {}

    static class Office {
        @Marked
        void open() {}
    }

    private final AdvisedMethods<Marked, String> methods = new AdvisedMethods<>(Marked.class) {
        @Override
        protected String read(MethodReading reading, Marked found, Set<Method> others) {
            // The test reads other classes at this point. In an application, resolving a setting may create a bean, and
            // the library then reads the bean's class.
            assertThat(List.of(String.class, Integer.class, Thread.class).stream()
                            .filter(this::hasAny))
                    .isEmpty();
            assertThat(hasAny(Set.class)).isFalse();
            return depth++ == 0 && hasAny(Office.class) ? "outer" : "inner";
        }
    };
    private int depth;

    /**
     * If the map were locked while it computes a value, reading a second class could fail when both classes are in the
     * same bin of the map.
     */
    @Test
    void aClassCanBeReadWhileTheSameOrAnotherClassIsBeingRead() throws Exception {
        Method open = Office.class.getDeclaredMethod("open");

        assertThat(methods.find(open, Office.class)).isEqualTo("inner");
        assertThat(methods.find(open, Office.class)).isEqualTo("inner");
        assertThat(depth).isEqualTo(2);
        assertThat(methods.allFaults()).isEmpty();
    }
}
