package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JanitorPropertiesTests {

    @Test
    void aModuleOverridesTheIntervalAndInheritsTheRest() {
        JanitorProperties properties = new JanitorProperties(
                Duration.ofMinutes(2),
                Duration.ofMinutes(5),
                Duration.ofHours(1),
                false,
                Map.of("shop", new JanitorProperties.Module(Duration.ofSeconds(1), null, false)));

        assertThat(properties.of("shop").interval()).hasSeconds(1);
        assertThat(properties.of("shop").stuckAfter()).hasMinutes(5);
        assertThat(properties.of("other").interval()).hasMinutes(2);
        assertThat(properties.tick()).hasSeconds(1);
    }
}
