package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.Lanes.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests where a search for due runs begins. */
class LaneBoundsTests {

    private static final Lane NEW = new Lane("tale", true);
    private static final Lane CONTINUED = new Lane("tale", false);
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00.123456Z");

    private Duration now = Duration.ofHours(1);
    private final LaneBounds bounds = new LaneBounds(() -> now);

    private List<Optional<Instant>> begins() {
        return bounds.of(List.of(NEW, CONTINUED));
    }

    @Test
    void theFirstSearchHasNoBound() {
        assertThat(begins()).containsExactly(Optional.empty(), Optional.empty());
    }

    @Test
    void aSearchBeginsAtTheFirstRunThatTheLatestSearchHasFound() {
        begins();
        bounds.found(Map.of(NEW, NOON), true);

        assertThat(begins()).containsExactly(Optional.of(NOON), Optional.empty());

        bounds.found(Map.of(NEW, NOON.plusSeconds(1), CONTINUED, NOON), true);

        assertThat(begins()).containsExactly(Optional.of(NOON.plusSeconds(1)), Optional.of(NOON));
    }

    @Test
    void theBoundsAreForgottenAfterAShortTime() {
        begins();
        bounds.found(Map.of(NEW, NOON), true);

        now = now.plusMillis(100);
        assertThat(begins()).contains(Optional.of(NOON));
        bounds.found(Map.of(NEW, NOON.plusSeconds(1)), true);

        now = now.plusMillis(1);
        assertThat(begins()).containsExactly(Optional.empty(), Optional.empty());
    }

    @Test
    void theBoundsAreForgottenIfASearchFindsTooFewRuns() {
        begins();
        bounds.found(Map.of(NEW, NOON), true);
        begins();
        bounds.found(Map.of(NEW, NOON.plusSeconds(1)), false);

        assertThat(begins()).containsExactly(Optional.empty(), Optional.empty());
    }
}
