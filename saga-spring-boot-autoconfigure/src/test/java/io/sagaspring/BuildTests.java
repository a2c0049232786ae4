package io.sagaspring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.StandardEnvironment;

/** What the build promises of the JVMs that run the tests, and would lose in silence by a slip in a pom. */
class BuildTests {

    @Test
    void testsRunFarFromUtcAndFromEnglish() {
        assertThat(TimeZone.getDefault().getID()).isEqualTo("Pacific/Apia");
        assertThat(Locale.getDefault()).isEqualTo(Locale.forLanguageTag("tr-TR"));
    }

    @Test
    void testsRunOnVirtualThreadsWhereTheJdkHasThem() {
        assertThat(Threading.VIRTUAL.isActive(new StandardEnvironment()))
                .isEqualTo(Runtime.version().feature() >= 21);
    }
}
