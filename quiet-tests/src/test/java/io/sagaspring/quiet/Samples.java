package io.sagaspring.quiet;

import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Test classes that only {@link QuietTestsTests} runs, because builds do not look for tests in this class. */
final class Samples {

    private Samples() {}

    static class Unexpected {
        @Test
        @ExpectsErrors("this one is known")
        void logs() {
            error(Unexpected.class, "this one is known");
            LoggerFactory.getLogger(Unexpected.class).error("nobody expects this", new IllegalStateException("why"));
        }
    }

    static class InAnotherThread {
        @Test
        void logs() throws InterruptedException {
            Thread other = new Thread(() -> error(InAnotherThread.class, "nobody expects this"));
            other.start();
            other.join();
        }
    }

    @ExpectsErrors("known")
    static class Around {
        @Nested
        class Inside {
            @Test
            void logs() {
                error(Inside.class, "known");
                error(Inside.class, "nobody expects this");
            }
        }
    }

    static class Silent {
        @Test
        @ExpectsErrors("never logged")
        void logsNothing() {}
    }

    @ExpectsErrors("may be logged or not")
    static class Expected {
        @Test
        @ExpectsErrors({"as announced", "Samples$Expected"})
        void logs() {
            error(Expected.class, "as announced");
            System.out.println("printed");
        }
    }

    static class Failing {
        @Test
        void fails() {
            System.err.println("printed");
            fail("as it must");
        }
    }

    private static void error(Class<?> logger, String message) {
        LoggerFactory.getLogger(logger).error(message);
    }
}
