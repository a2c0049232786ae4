package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An application works without the optional jars, or a message explains which jar it needs. */
class MissingPartsTests {

    private static final Pattern FLYWAY = Pattern.compile("flyway");

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    @Test
    void theApplicationStartsWithoutJpa() throws Exception {
        var outcome = ForkedApplication.startWithout(
                Pattern.compile("hibernate|jakarta\\.persistence|spring-orm|spring-data|spring-boot-(data-)?jpa"),
                database);

        assertThat(outcome.output()).contains("started with schema 'public'");
        assertThat(outcome.exitCode()).isZero();
    }

    @Test
    void aStepWithAClaimStateRunsWithoutJpa() throws Exception {
        JdbcClient client = JdbcClient.create(database.dataSource());
        client.sql("CREATE TABLE invoices (id bigint PRIMARY KEY, status text NOT NULL, version bigint NOT NULL)")
                .update();
        client.sql("INSERT INTO invoices VALUES (1, 'OPEN', 0)").update();

        var outcome = ForkedApplication.startWithout(
                Pattern.compile("hibernate|jakarta\\.persistence|spring-orm|spring-data|spring-boot-(data-)?jpa"),
                ForkedTable.class,
                database);

        assertThat(outcome.output()).contains("paid with Completed[status=PAID, result=PAYING]");
        assertThat(outcome.exitCode()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tomcat|servlet|spring-web|spring-boot-web|spring-boot-tomcat",
                "micrometer-(core|jakarta)|spring-boot-(starter-)?micrometer|actuator|spring-boot-health"
            })
    void stepsRunWithoutAWebServerAndWithoutActuator(String jars) throws Exception {
        requireThatAStepRunsWithout(jars);
    }

    /** Each value removes one part of the web support or of Actuator. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring-webmvc|spring-boot-webmvc",
                "micrometer-(core|jakarta)|spring-boot-(starter-)?micrometer",
                "spring-boot-actuator-autoconfigure",
                "spring-boot-health"
            })
    @Tag("slow")
    void stepsRunWithoutOnePartOfTheWebSupportOrOfActuator(String jars) throws Exception {
        requireThatAStepRunsWithout(jars);
    }

    private void requireThatAStepRunsWithout(String jars) throws IOException, InterruptedException {
        var outcome = ForkedApplication.startWithout(Pattern.compile(jars), ForkedShop.class, database);

        assertThat(outcome.output()).contains("sent with Completed[status=SENT, result=null]");
        assertThat(outcome.exitCode()).isZero();
    }

    /** All starts share one JVM, because starting a JVM takes longer than the starts that are tested. */
    @Test
    void anApplicationWithoutFlywayStartsOnlyIfTheTablesExist() throws Exception {
        try (TestDatabase migrated = TestDatabase.create(MigratedSchema.class)) {
            List<String> outputs = ForkedApplication.startsWithout(
                    FLYWAY,
                    List.of(
                            ForkedApplication.arguments(migrated, "saga.schema.migrate=true"),
                            ForkedApplication.arguments(migrated, "saga.schema.migrate=false"),
                            ForkedApplication.arguments(database)));

            assertThat(outputs).hasSize(3);
            assertThat(outputs.subList(0, 2))
                    .allSatisfy(output -> assertThat(output).contains("started with schema 'public'"));
            assertThat(outputs.get(2))
                    .contains("APPLICATION FAILED TO START")
                    .contains("org.flywaydb:flyway-database-postgresql is not on the class path")
                    .contains("saga-spring-boot-starter")
                    .contains("/io/sagaspring/schema/V1__schema_version.sql")
                    .doesNotContain("started with");
        }
    }
}
