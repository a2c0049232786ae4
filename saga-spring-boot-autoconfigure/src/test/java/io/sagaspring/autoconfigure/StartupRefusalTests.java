package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.sagaspring.test.database.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** The console explains why an application does not start. */
@ExtendWith(OutputCaptureExtension.class)
class StartupRefusalTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DataSourceAutoConfiguration.class, SchemaAutoConfiguration.class})
    static class Application {}

    @Test
    void missingTablesAreExplained(CapturedOutput output) {
        assertThatException().isThrownBy(() -> start("saga.schema.migrate=false"));

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(
                        "Description:\n\nSaga's tables in schema 'public' are missing or not up to date (missing versions: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23), and saga.schema.migrate is false.")
                .contains("Action:\n\nRun these scripts in this order")
                .contains("/io/sagaspring/schema/V23__pause.sql\nOr set saga.schema.migrate=true")
                .doesNotContain("at io.sagaspring");
    }

    @Test
    void aWrongSchemaNameIsExplainedWithItsOrigin(CapturedOutput output) {
        assertThatException().isThrownBy(() -> start("saga.schema.name=Orders"));

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Invalid value 'Orders' for configuration property 'saga.schema.name'")
                .contains("originating from '\"saga.schema.name\" from property source \"commandLineArgs\"'")
                .contains("A schema name starts with a lower-case letter");
    }

    private void start(String property) {
        new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.datasource.url=" + database.getJdbcUrl(),
                        "--spring.datasource.username=" + database.getUsername(),
                        "--spring.datasource.password=" + database.getPassword(),
                        "--" + property)
                .close();
    }
}
