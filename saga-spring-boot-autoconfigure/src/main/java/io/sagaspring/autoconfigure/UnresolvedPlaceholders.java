package io.sagaspring.autoconfigure;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Reports unresolved placeholders in the library's properties. Spring Boot leaves a placeholder in the value if it
 * cannot resolve the placeholder.
 */
final class UnresolvedPlaceholders implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("saga");

    /**
     * The property whose values are secrets. This class skips it. {@code CallbackKeyRules} reports the placeholders in
     * these values, and shows nothing else of them.
     */
    private static final ConfigurationPropertyName SECRETS = ConfigurationPropertyName.of("saga.sagas.callback-keys");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^${}:]*)");

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                if (result instanceof CharSequence text
                        && ROOT.isAncestorOf(name)
                        && !SECRETS.isAncestorOf(name)
                        && !SECRETS.equals(name)) {
                    check(text);
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }

    private static void check(CharSequence text) {
        Matcher placeholder = PLACEHOLDER.matcher(text);
        if (placeholder.find()) {
            throw new IllegalArgumentException(
                    "Neither an environment variable nor a property has the name '%s'. Set it, or write the value itself."
                            .formatted(placeholder.group(1)));
        }
    }
}
