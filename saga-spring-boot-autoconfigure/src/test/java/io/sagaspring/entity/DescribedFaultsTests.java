package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The described columns are compared with the database. All faults are reported at once, each with its remedy. */
class DescribedFaultsTests {

    private static final TestDatabase database = TestDatabase.create();

    private enum State {
        OPEN,
        CLOSED
    }

    private record Order() {}

    private record Pair(UUID first, int second) {}

    @BeforeAll
    static void createTables() {
        JdbcClient client = JdbcClient.create(database.dataSource());
        client.sql("CREATE TYPE state AS ENUM ('OPEN', 'CLOSED')").update();
        client.sql("""
                CREATE TABLE orders (id bigint PRIMARY KEY, number bigint, place uuid, status text, state state,
                    code int, at date, version bigint NOT NULL, loose bigint, name text NOT NULL, shown boolean,
                    doubled bigint GENERATED ALWAYS AS (id * 2) STORED)""").update();
        client.sql("CREATE VIEW seen AS SELECT * FROM orders").update();
        client.sql("CREATE UNIQUE INDEX ON orders (number) WHERE number > 0").update();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private static List<String> faults(ClaimTable<?> table, String... statuses) {
        return faults(List.of(table), "status", statuses);
    }

    private static List<String> faults(List<ClaimTable<?>> tables, String statusProperty, String... statuses) {
        List<String> faults = new ArrayList<>();
        DescribedTables described = new DescribedTables(
                tables,
                database.dataSource(),
                () -> {
                    throw new IllegalStateException("No step runs here.");
                },
                new OwnTransactions(database.dataSource()),
                Tenants.none());
        Optional<EntityTable> found =
                new EntityTables(List.of(described)).find(Order.class, statusProperty, List.of(statuses), faults::add);
        assertThat(found.isPresent()).isEqualTo(faults.isEmpty());
        return faults;
    }

    private static ClaimTable.WithoutLoader<Order, Long> orders() {
        return ClaimTable.of(Order.class, "orders").id(Long.class, "id");
    }

    private static ClaimTable<Order> loaded(ClaimTable.WithoutLoader<Order, ?> table) {
        return table.loadedBy(id -> Optional.empty());
    }

    @Test
    void aTableThatFitsItsDescriptionHasNoFault() {
        assertThat(faults(loaded(orders()), "OPEN", "anything")).isEmpty();
        assertThat(faults(loaded(orders().status("state")), "OPEN", "CLOSED")).isEmpty();
        assertThat(faults(loaded(orders().status("code")), "-1", "12")).isEmpty();
        assertThat(faults(loaded(orders().status("code", State.class, State::ordinal)), "OPEN"))
                .isEmpty();
    }

    @Test
    void everyFaultIsReportedAtOnce() {
        assertThat(faults(
                        loaded(ClaimTable.of(Order.class, "orders")
                                .id(Integer.class, "id")
                                .status("at")
                                .version("loose")
                                .lastModified("name")),
                        "OPEN"))
                .containsExactly(
                        "The ClaimTable of %s has the id id of type Integer in a column of type bigint. Declare the class that holds every value of the column."
                                .formatted(Order.class.getName()),
                        "The ClaimTable of %s has its status in the column at of type date. Supported types: text, enum types and whole numbers."
                                .formatted(Order.class.getName()),
                        "The ClaimTable of %s has its version in the column loose, which may be null. No change raises a version that is null. Declare the column NOT NULL."
                                .formatted(Order.class.getName()),
                        "The ClaimTable of %s has the time of the last change in the column name of type text. Name a timestamp."
                                .formatted(Order.class.getName()));
    }

    @Test
    void aTableThatTheDatabaseLacksIsNamed() {
        assertThat(faults(loaded(ClaimTable.of(Order.class, "shop.orders").id(Long.class, "id"))))
                .containsExactly(
                        "The ClaimTable of %s names the table shop.orders, which the database of the library's tables lacks. Correct the name, or create the table before the application starts."
                                .formatted(Order.class.getName()));
        assertThat(faults(loaded(ClaimTable.of(Order.class, "orders; DROP").id(Long.class, "id"))))
                .singleElement()
                .asString()
                .contains("Write its name as in SQL, such as invoices or shop.invoices.");
    }

    @Test
    void aViewIsRefused() {
        assertThat(faults(loaded(ClaimTable.of(Order.class, "seen").id(Long.class, "id"))))
                .anySatisfy(fault -> assertThat(fault).contains("which is no table but a view"));
    }

    @Test
    void columnsThatDoNotExistOrAreComputedAreNamed() {
        assertThat(faults(loaded(orders().status("stat").version("doubled"))))
                .hasSize(2)
                .anySatisfy(
                        fault -> assertThat(fault)
                                .contains(
                                        "names the column stat for the status, which table orders lacks. It has the columns id,"))
                .anySatisfy(fault -> assertThat(fault).contains("which the database computes"));
        assertThat(faults(loaded(orders().status("status || ''"))))
                .singleElement()
                .asString()
                .contains("lacks");
    }

    @Test
    void anIdWithoutAUniqueKeyIsRefused() {
        for (String column : List.of("loose", "number")) {
            assertThat(faults(loaded(ClaimTable.of(Order.class, "orders").id(Long.class, column))))
                    .singleElement()
                    .asString()
                    .contains("has neither a primary key nor a unique index");
        }
    }

    @Test
    void anIdMustHaveAColumnForEachPart() {
        assertThat(faults(loaded(ClaimTable.of(Order.class, "orders").id(Pair.class, "place"))))
                .singleElement()
                .asString()
                .contains("for a record a column for each component, in the same order.");
        assertThat(faults(loaded(ClaimTable.of(Order.class, "orders").id(Pair.class, "place", "id"))))
                .singleElement()
                .asString()
                .contains("has the id id of type Integer in a column of type bigint");
        assertThat(faults(loaded(ClaimTable.of(Order.class, "orders").id(Boolean.class, "shown"))))
                .singleElement()
                .asString()
                .contains("Supported types: Long, Integer, Short, BigInteger, UUID, String, and records of these.");
    }

    @Test
    void statusesThatTheColumnCannotHoldAreNamed() {
        assertThat(faults(loaded(orders().status("state")), "OPEN", "LOST"))
                .containsExactly(
                        "The ClaimTable of %s cannot be in [LOST]: its status state has the values [OPEN, CLOSED]."
                                .formatted(Order.class.getName()));
        assertThat(faults(loaded(orders().status("code")), "1", "OPEN"))
                .containsExactly("The ClaimTable of %s cannot be in [OPEN]: its status code is a whole number."
                        .formatted(Order.class.getName()));
        assertThat(faults(loaded(orders().status("code", State.class))))
                .anySatisfy(fault -> assertThat(fault).contains("Pass a function that returns a whole number"));
        assertThat(faults(loaded(orders().status("status", State.class, state -> "same"))))
                .singleElement()
                .asString()
                .contains("stores two statuses as same");
        assertThat(faults(loaded(orders().status("state", State.class, State::toString)), "OPEN"))
                .isEmpty();
        assertThat(faults(loaded(orders().status("state", State.class, state -> "x" + state))))
                .anySatisfy(fault -> assertThat(fault).contains("stores the status OPEN as 'xOPEN'"));
    }

    @Test
    void aWorkflowMustNameTheSameStatusAsTheTable() {
        assertThat(faults(List.of(loaded(orders().status("state"))), "state")).isEmpty();
        assertThat(faults(List.of(loaded(orders().status("state"))), "phase"))
                .singleElement()
                .asString()
                .startsWith("The status is 'phase', but the ClaimTable of");
    }

    @Test
    void twoDescriptionsOfOneEntityAreRefused() {
        assertThat(faults(List.of(loaded(orders()), loaded(orders())), "status"))
                .containsExactly("There are 2 beans of type ClaimTable for %s. Keep one of them."
                        .formatted(Order.class.getName()));
    }
}
