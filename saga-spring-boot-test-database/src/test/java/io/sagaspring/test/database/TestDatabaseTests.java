package io.sagaspring.test.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class TestDatabaseTests {

    static class Counted implements DatabaseTemplate {

        static final AtomicInteger fills = new AtomicInteger();

        @Override
        public void fill(DataSource dataSource) {
            fills.incrementAndGet();
            JdbcClient.create(dataSource).sql("CREATE TABLE entry (id int)").update();
        }
    }

    static class Broken implements DatabaseTemplate {

        @Override
        public void fill(DataSource dataSource) throws SQLException {
            throw new SQLException("no such file V1");
        }
    }

    @Test
    void aTemplateIsFilledOnceAndItsClonesAreIndependent() {
        try (var one = TestDatabase.create(Counted.class);
                var other = TestDatabase.create(Counted.class)) {
            insert(one);

            assertThat(entries(one)).isEqualTo(1);
            assertThat(entries(other)).isZero();
            assertThat(Counted.fills).hasValue(1);
        }
    }

    @Test
    void theErrorNamesATemplateThatCannotBeFilled() {
        assertThatIllegalStateException()
                .isThrownBy(() -> TestDatabase.create(Broken.class))
                .withMessageContaining(Broken.class.getName())
                .havingCause()
                .withMessage("no such file V1");
    }

    @Test
    void closingATestDatabaseDropsItDespiteAnOpenConnection() throws SQLException {
        var database = TestDatabase.create();
        try (Connection left = database.dataSource().getConnection()) {
            database.close();

            assertThat(left.isValid(1)).isFalse();
        }
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> database.dataSource().getConnection())
                .withMessageContaining("does not exist");
    }

    @Test
    void theServerHasTheVersionThatTheBuildConfigures() throws SQLException {
        try (var database = TestDatabase.create();
                var connection = database.dataSource().getConnection()) {
            assertThat(connection.getMetaData().getDatabaseMajorVersion())
                    .asString()
                    .isEqualTo(System.getProperty(TestSettings.VERSION));
        }
    }

    @Test
    void commitsAreSynchronousSoThatCrashTestsAreMeaningful() {
        try (var database = TestDatabase.create()) {
            assertThat(JdbcClient.create(database.dataSource())
                            .sql("SHOW synchronous_commit")
                            .query(String.class)
                            .single())
                    .isEqualTo("on");
        }
    }

    private static void insert(TestDatabase database) {
        JdbcClient.create(database.dataSource())
                .sql("INSERT INTO entry VALUES (1)")
                .update();
    }

    private static int entries(TestDatabase database) {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT count(*) FROM entry")
                .query(Integer.class)
                .single();
    }
}
