package io.sagaspring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.StandardEnvironment;

/** Checks the settings of the test JVMs. A mistake in a pom would remove them without any other sign. */
class BuildTests {

    @Test
    void testsRunInADistantTimeZoneAndInTurkish() {
        assertThat(TimeZone.getDefault().getID()).isEqualTo("Pacific/Apia");
        assertThat(Locale.getDefault()).isEqualTo(Locale.forLanguageTag("tr-TR"));
    }

    @Test
    void testsRunOnVirtualThreadsWhereTheJdkHasThem() {
        assertThat(Threading.VIRTUAL.isActive(new StandardEnvironment()))
                .isEqualTo(Runtime.version().feature() >= 21);
    }
}
