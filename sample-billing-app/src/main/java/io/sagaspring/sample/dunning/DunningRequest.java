package io.sagaspring.sample.dunning;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.UniqueElements;
import org.jspecify.annotations.Nullable;

/**
 * The request to start a chain. Each story is the id of a letter. Without {@code stepMillis}, the work on a letter
 * takes no time.
 */
record DunningRequest(
        @NotEmpty @Size(max = 1000) @UniqueElements List<@NotNull @DunningId String> stories,
        @Nullable @Min(0) @Max(3_600_000) Long stepMillis) {

    Duration step() {
        return stepMillis == null ? Duration.ZERO : Duration.ofMillis(stepMillis);
    }
}
