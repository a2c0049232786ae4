package io.sagaspring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlTests {

    private static final TestDatabase database = TestDatabase.create();

    private static final Sql SUM = Sql.named("test.sum", "SELECT :a::int + :b::int + :a::int AS sum");

    private final Connection connection = database.dataSource().getConnection();

    SqlTests() throws SQLException {}

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @Test
    void aValueIsSetAtEachPlaceOfItsName() throws SQLException {
        assertThat(SUM.on(connection).with("a", 10).with("b", 1).first(row -> row.integer("sum")))
                .contains(21);
    }

    @Test
    void anUnboundParameterIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SUM.on(connection).with("a", 10).finds())
                .withMessageContainingAll("'b' is not bound", "test.sum");
    }

    @Test
    void aNameThatIsBoundTwiceIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SUM.on(connection).with("a", 1).with("b", 2).with("a", 3))
                .withMessageContaining("'a' is bound twice");
    }

    @Test
    void anUnknownParameterIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SUM.on(connection).with("c", 1))
                .withMessageContaining("no parameter 'c'");
    }

    @Test
    void boundValuesAreReadBack() throws SQLException {
        UUID uuid = UUID.randomUUID();
        Instant time = Instant.parse("2026-11-23T18:00:00.123456Z");
        Sql echo = Sql.named("test.echo", """
                SELECT :text::text AS text, :number::bigint AS number, :truth::boolean AS truth, :uuid::uuid AS uuid,
                    :bytes::bytea AS bytes, :time::timestamptz AS time, 1234.9::numeric AS millis""");

        assertThat(echo.on(connection)
                        .with("text", "ä'?:b")
                        .with("number", Long.MAX_VALUE)
                        .with("truth", true)
                        .with("uuid", uuid)
                        .with("bytes", new byte[] {0, -1})
                        .with("time", (statement, index) -> statement.setString(index, time.toString()))
                        .first(row -> {
                            assertThat(row.text("text")).isEqualTo("ä'?:b");
                            assertThat(row.number("number")).isEqualTo(Long.MAX_VALUE);
                            assertThat(row.is("truth")).isTrue();
                            assertThat(row.uuid("uuid")).isEqualTo(uuid);
                            assertThat(row.bytes("bytes")).containsExactly(0, -1);
                            assertThat(row.instant("time")).isEqualTo(time);
                            assertThat(row.millis("millis")).isEqualTo(Duration.ofMillis(1234));
                            return true;
                        }))
                .contains(true);
    }

    /** Without a cast, the type that is sent with a null determines the type of the parameter. */
    @Test
    void aNullIsSentWithItsType() throws SQLException {
        connection.createStatement().execute("CREATE TEMPORARY TABLE nulls (a text, b bytea)");
        Sql insert = Sql.named("test.insert", "INSERT INTO nulls SELECT :a, :b");
        assertThat(insert.on(connection)
                        .with("a", (String) null)
                        .with("b", (byte[]) null)
                        .changesOne())
                .isTrue();

        assertThat(Sql.named("test.nulls", "SELECT a, b FROM nulls")
                        .on(connection)
                        .list(row -> row.isNull("a") && row.textOrNull("a") == null && row.bytes("b") == null))
                .containsExactly(true);
    }

    @Test
    void arraysAreSentAsOneValue() throws SQLException {
        Sql unnest = Sql.named(
                "test.unnest",
                "SELECT t.a, t.b FROM unnest(:texts::text[], :longs::bigint[]) AS t (a, b) ORDER BY t.b");

        assertThat(unnest.on(connection)
                        .texts("texts", List.of("x", "{,\"y"))
                        .longs("longs", List.of(2L, 1L))
                        .list(row -> row.text("a") + row.number("b")))
                .containsExactly("{,\"y1", "x2");
        assertThat(unnest.on(connection)
                        .texts("texts", List.of())
                        .longs("longs", List.of())
                        .finds())
                .isFalse();
    }

    @Test
    void anArrayOfBooleansIsSentAsOneValue() throws SQLException {
        Sql unnest = Sql.named("test.unnest-any", "SELECT t.a FROM unnest(:truths::boolean[]) AS t (a)");

        assertThat(unnest.on(connection)
                        .array("truths", "boolean", new Boolean[] {true, false})
                        .list(row -> row.is("a")))
                .containsExactly(true, false);
    }

    @Test
    void eachRowOfAListIsSetAtItsOwnPlace() throws SQLException {
        Sql rows = Sql.named(
                "test.rows",
                "SELECT v.a + v.b + :c::int AS sum FROM (VALUES (:a::int, :b::int), (:a, :b)) AS v (a, b) ORDER BY v.a");
        List<int[]> given = List.of(new int[] {1, 10}, new int[] {2, 20});

        assertThat(rows.on(connection)
                        .each("a", given, (statement, index, row) -> statement.setInt(index, row[0]))
                        .each("b", given, (statement, index, row) -> statement.setInt(index, row[1]))
                        .with("c", 100)
                        .list(row -> row.integer("sum")))
                .containsExactly(111, 122);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void aListIsRefusedUnlessItsLengthMatchesThePlaces(int length) {
        List<Integer> given = List.of(1, 2, 3).subList(0, length);

        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        SUM.on(connection).each("a", given, (statement, index, row) -> statement.setInt(index, row)))
                .withMessageContaining("'a' occurs 2 times for %s rows", length);
    }

    @Test
    void theResultsOfStatementsSentTogetherAreReadInOrder() throws SQLException {
        Sql both = Sql.named("test.first", "SELECT :a::int AS one")
                .then(Sql.named("test.second", "SELECT :b::int AS two UNION ALL SELECT :a"));
        List<Integer> found = new ArrayList<>();

        both.on(connection)
                .with("a", 1)
                .with("b", 2)
                .visit(List.of(row -> found.add(row.integer("one")), row -> found.add(10 * row.integer("two"))));

        assertThat(found).containsExactly(1, 20, 10);
        assertThat(both.text()).contains("/* saga:test.first */", ";SELECT /* saga:test.second */");
    }

    @Test
    void moreReadersThanStatementsAreRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SUM.on(connection).with("a", 1).with("b", 1).visit(List.of(row -> {}, row -> {})))
                .withMessageContaining("Fewer than 2 statements");
    }

    @Test
    void aNullTimeIsReadAsNull() throws SQLException {
        Sql times = Sql.named("test.times", "SELECT NULL::timestamptz AS never, 'epoch'::timestamptz AS epoch");

        assertThat(times.on(connection)
                        .first(row -> row.instantOrNull("never") == null
                                && row.timeOrNull("never") == null
                                && Instant.EPOCH.equals(row.instantOrNull("epoch"))))
                .contains(true);
    }

    @Test
    void aStatementWithoutRowsReturnsAnEmptyResult() throws SQLException {
        Sql none = Sql.named("test.none", "SELECT 1 AS one WHERE :there");

        assertThat(none.on(connection).with("there", false).first(row -> row.integer("one")))
                .isEmpty();
        assertThat(none.on(connection).with("there", true).finds()).isTrue();
    }

    /** Seven executions suffice for the driver to prepare the statement and for the server to choose a generic plan. */
    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
    void theServerSeesTheNameInEveryQueryMode(String mode) throws SQLException {
        String url = database.getJdbcUrl();
        String options = "prepareThreshold=2&preferQueryMode=" + mode;
        Sql shown = Sql.named("test.shown", """
                SELECT (SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS query WHERE :a::int = 1""");
        try (Connection modal = DriverManager.getConnection(
                url + (url.contains("?") ? "&" : "?") + options, database.getUsername(), database.getPassword())) {
            for (int times = 0; times < 7; times++) {
                assertThat(shown.on(modal).with("a", 1).first(row -> row.text("query")))
                        .hasValueSatisfying(query -> assertThat(query).startsWith("SELECT /* saga:test.shown */ ("));
            }
        }
    }
}
