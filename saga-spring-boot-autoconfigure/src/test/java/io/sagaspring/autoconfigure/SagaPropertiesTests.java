package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A published example key is refused as a callback key, because anyone can read it. */
class SagaPropertiesTests {

    private static final String OWN = "a-key-that-is-long-enough-for-a-test";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "only-for-trying-out-and-known-to-everybody",
                " only-a-sample-may-have-this-in-its-repository ",
                "a-callback-key-that-is-for-tests-only"
            })
    void aPublishedExampleIsRefusedAsCallbackKey(String example) {
        SagaProperties properties = new SagaProperties(true, List.of(OWN, example), false);

        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(properties::checkedCallbackKeys)
                .satisfies(refused -> assertThat(refused.getName()).isEqualTo("saga.sagas.callback-keys[1]"))
                .withMessageContaining(
                        "It is a published example, so anyone could forge callbacks. Set a secret of your own");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aDemonstrationCanUseAPublishedExampleButLogsAWarning(CapturedOutput output) {
        SagaProperties properties =
                new SagaProperties(true, List.of("only-a-sample-may-have-this-in-its-repository"), true);

        assertThat(properties.checkedCallbackKeys()).hasSize(1);
        assertThat(output).contains("saga.sagas.callback-keys[0] is a published example: anyone can forge callbacks.");
    }
}
