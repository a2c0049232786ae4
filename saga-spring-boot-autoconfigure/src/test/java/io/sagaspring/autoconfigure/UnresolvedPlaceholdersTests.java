package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** If a variable is not set, its placeholder is refused and not used as the value. */
class UnresolvedPlaceholdersTests {

    private final BindHandler handler = new UnresolvedPlaceholders().apply(BindHandler.DEFAULT);

    @Test
    void aValueWithAnUnresolvedPlaceholderIsRefused() {
        assertThatExceptionOfType(BindException.class)
                .isThrownBy(() -> bind(
                        "saga.idempotency.http.replayed-headers[0]",
                        "X-${UNSET:}",
                        "saga.idempotency.http.replayed-headers"))
                .havingRootCause()
                .withMessage(
                        "Neither an environment variable nor a property has the name 'UNSET'. Set it, or write the value itself.");
    }

    /** Callback keys are checked where they are used, with messages that do not show the keys. */
    @Test
    void anUnresolvedPlaceholderInACallbackKeyIsNotRefusedDuringBinding() {
        assertThat(bind("saga.sagas.callback-keys[0]", "${UNSET}", "saga.sagas.callback-keys"))
                .containsExactly("${UNSET}");
    }

    @Test
    void anUnresolvedPlaceholderInAPropertyOfTheApplicationIsNotRefused() {
        assertThat(bind("shop.texts[0]", "${UNSET}", "shop.texts")).containsExactly("${UNSET}");
    }

    private List<String> bind(String name, String value, String target) {
        return new Binder(new MapConfigurationPropertySource(Map.of(name, value)))
                .bind(target, Bindable.listOf(String.class), handler)
                .get();
    }
}
