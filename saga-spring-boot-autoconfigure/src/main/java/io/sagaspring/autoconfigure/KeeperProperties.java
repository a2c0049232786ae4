package io.sagaspring.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Settings for the keeper, which renews what this node holds.
 *
 * @param interval Time between two renewals. A third of the shortest time after which anything may be taken over, when not set.
 * @param ownConnection Whether the keeper opens a connection beside the pool, so that no load can starve it.
 */
@ConfigurationProperties("saga.keeper")
record KeeperProperties(
        @Nullable Duration interval, @DefaultValue("true") boolean ownConnection) {

    Duration beat(Duration shortestWindow) {
        if (interval == null) {
            return shortestWindow.dividedBy(3);
        }
        Limits.atLeast("saga.keeper.interval", interval, Duration.ofMillis(50));
        if (interval.compareTo(shortestWindow.dividedBy(2)) > 0) {
            throw new InvalidConfigurationPropertyValueException(
                    "saga.keeper.interval",
                    interval,
                    "It must be at most half of the shortest time after which anything may be taken over (%s), or what lives is taken."
                            .formatted(shortestWindow));
        }
        return interval;
    }
}
