package io.sagaspring.autoconfigure;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Settings for the heartbeat keeper, which renews all leases that this node holds.
 *
 * @param interval Time between two heartbeats. If not set, a third of the shortest lease time or stuck-after setting.
 * @param ownConnection Whether the keeper has a connection outside the pool, so that a busy pool cannot delay heartbeats.
 * @param url JDBC URL of the keeper's connection, to bypass a pooler. If not set, the URL of the pool.
 * @param username User of the keeper's own connection. If not set, the user of the pool.
 * @param password Password of the keeper's own connection. If not set, the password of the pool.
 */
@ConfigurationProperties("saga.keeper")
record KeeperProperties(
        @Nullable Duration interval,
        @DefaultValue("true") boolean ownConnection,
        @Nullable String url,
        @Nullable String username,
        @Nullable String password) {

    KeeperProperties {
        if (!ownConnection && (url != null || username != null || password != null)) {
            throw new InvalidConfigurationPropertyValueException(
                    "saga.keeper.own-connection",
                    false,
                    "At least one of saga.keeper.url, saga.keeper.username and saga.keeper.password is set, so the keeper needs a connection of its own. Remove these settings, or remove this property.");
        }
    }

    /** Returns the settings without the password. */
    @Override
    public String toString() {
        return "KeeperProperties[interval=%s, ownConnection=%s, url=%s, username=%s]"
                .formatted(interval, ownConnection, url, username);
    }

    Duration checkedInterval(Duration shortestTimeout) {
        if (interval == null) {
            return shortestTimeout.dividedBy(3);
        }
        Limits.atLeast("saga.keeper.interval", interval, Duration.ofMillis(50));
        if (interval.compareTo(shortestTimeout.dividedBy(2)) > 0) {
            throw new InvalidConfigurationPropertyValueException(
                    "saga.keeper.interval",
                    interval,
                    "It must be at most half of the shortest lease or stuck-after time. That shortest time is %s. Otherwise work that is still running could be taken over."
                            .formatted(DurationText.of(shortestTimeout)));
        }
        return interval;
    }
}
