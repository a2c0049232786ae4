package io.sagaspring.autoconfigure;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/** Makes the links to pages of the dashboard. The places must be those that the page of the dashboard reads. */
final class DashboardLinks {

    private static final String PROPERTY = "saga.dashboard.url";

    /** The address without a slash at its end, or null if there are no links. */
    private final @Nullable String base;

    private DashboardLinks(@Nullable String base) {
        this.base = base;
    }

    static DashboardLinks to(@Nullable String url) {
        if (!StringUtils.hasText(url)) {
            return new DashboardLinks(null);
        }
        if (!isAllowed(url)) {
            throw new InvalidConfigurationPropertyValueException(
                    PROPERTY,
                    url,
                    "It must be an absolute address of the dashboard with http or https, without user, query and fragment, such as https://billing.example.com/saga.");
        }
        return new DashboardLinks(StringUtils.trimTrailingCharacter(url, '/'));
    }

    private static boolean isAllowed(String url) {
        try {
            URI parsed = new URI(url);
            return ("https".equals(parsed.getScheme()) || "http".equals(parsed.getScheme()))
                    && parsed.getHost() != null
                    && parsed.getUserInfo() == null
                    && parsed.getRawQuery() == null
                    && parsed.getRawFragment() == null;
        } catch (URISyntaxException malformed) {
            return false;
        }
    }

    /** Returns the page of a run, or null if no address is set. */
    @Nullable
    String pageOf(RunId run) {
        return link("run&id=" + run);
    }

    /** Returns the list of runs in a state, or null if no address is set. */
    @Nullable
    String listOf(RunState state) {
        return link("runs&state=" + state.text());
    }

    private @Nullable String link(String place) {
        return base == null ? null : "%s/?view=%s".formatted(base, place);
    }
}
