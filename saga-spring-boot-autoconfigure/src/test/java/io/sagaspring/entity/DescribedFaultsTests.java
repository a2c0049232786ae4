package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.database.Databases;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.tenant.ThreadTenants;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DuplicateKeyException;
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
        client.sql("CREATE DOMAIN word AS text").update();
        client.sql("""
                CREATE TABLE orders (id bigint PRIMARY KEY, number bigint, place uuid, status text, state state,
                    code int, at date, version bigint NOT NULL, loose bigint, name text NOT NULL, shown boolean,
                    doubled bigint GENERATED ALWAYS AS (id * 2) STORED)""").update();
        client.sql("CREATE VIEW seen AS SELECT * FROM orders").update();
        client.sql("CREATE UNIQUE INDEX ON orders (number) WHERE number > 0").update();
        client.sql("""
                CREATE TABLE odd (id bigint NOT NULL, "The ""Id\""" bigint PRIMARY KEY, word word, status text, gone text,
                    version bigint NOT NULL, included bigint, computed bigint, invalid bigint, plain bigint,
                    "two words" text)""").update();
        client.sql("ALTER TABLE odd DROP COLUMN gone").update();
        client.sql("CREATE UNIQUE INDEX ON odd (id) INCLUDE (included)").update();
        client.sql("CREATE UNIQUE INDEX ON odd (computed, (plain + 1))").update();
        client.sql("CREATE INDEX ON odd (plain)").update();
        client.sql("INSERT INTO odd VALUES (1, 1, '', '', 0, 1, 1, 1, 1, ''), (2, 2, '', '', 0, 2, 2, 1, 2, '')")
                .update();
        // The build of the index fails, because the values are not unique, and leaves an invalid index.
        assertThatExceptionOfType(DuplicateKeyException.class)
                .isThrownBy(() -> client.sql("CREATE UNIQUE INDEX CONCURRENTLY ON odd (invalid)")
                        .update());
        client.sql(
                        "CREATE TABLE parted (id bigint PRIMARY KEY, status text, version bigint NOT NULL) PARTITION BY HASH (id)")
                .update();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private static List<String> faults(ClaimTable<?> table, String... statuses) {
        return faults(List.of(table), "status", statuses);
    }

    private static List<String> faults(List<ClaimTable<?>> tables, String statusProperty, String... statuses) {
        return faults(Tenants.none(), tables, statusProperty, statuses);
    }

    private static List<String> faults(
            Tenants tenants, List<ClaimTable<?>> tables, String statusProperty, String... statuses) {
        List<String> faults = new ArrayList<>();
        Optional<EntityTable> found = find(tenants, tables, statusProperty, List.of(statuses), faults::add);
        assertThat(found.isPresent()).isEqualTo(faults.isEmpty());
        return faults;
    }

    private static Optional<EntityTable> find(
            Tenants tenants,
            List<ClaimTable<?>> tables,
            String statusProperty,
            List<String> statuses,
            Consumer<String> faults) {
        DescribedTables described = new DescribedTables(
                tables,
                database.dataSource(),
                () -> {
                    throw new IllegalStateException("No step runs here.");
                },
                Databases.only(new OwnTransactions(database.dataSource()), tenants));
        return new EntityTables(List.of(described)).find(Order.class, statusProperty, statuses, faults);
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
                        "The ClaimTable of %s declares the id in the column id as Integer, but the column has the type bigint. Declare a class that can hold every value of the column."
                                .formatted(Order.class.getName()),
                        "The ClaimTable of %s has its status in the column at of type date. Supported types: text, enum types and whole numbers."
                                .formatted(Order.class.getName()),
                        "The ClaimTable of %s has its version in the column loose, which may be null. A version that is null cannot be incremented. Declare the column NOT NULL."
                                .formatted(Order.class.getName()),
                        "The ClaimTable of %s has the time of the last change in the column name of type text. Name a timestamp column."
                                .formatted(Order.class.getName()));
    }

    @Test
    void aTableThatDoesNotExistIsReported() {
        assertThat(faults(loaded(ClaimTable.of(Order.class, "shop.orders").id(Long.class, "id"))))
                .containsExactly(
                        "The ClaimTable of %s names the table shop.orders, which does not exist in the database of the library's tables. Correct the name, or create the table before the application starts."
                                .formatted(Order.class.getName()));
        assertThat(faults(loaded(ClaimTable.of(Order.class, "orders; DROP").id(Long.class, "id"))))
                .singleElement()
                .asString()
                .contains("Write the name as in SQL, such as invoices or shop.invoices.");
    }

    @Test
    void aVersionMustBeAWholeNumber() {
        assertThat(faults(loaded(orders().version("name"))))
                .containsExactly(
                        "The ClaimTable of %s has its version in the column name of type text. Give this column the type bigint."
                                .formatted(Order.class.getName()));
    }

    @Test
    void aViewIsRefused() {
        assertThat(faults(loaded(ClaimTable.of(Order.class, "seen").id(Long.class, "id"))))
                .anySatisfy(fault -> assertThat(fault).contains("which is not a table but a view"));
    }

    @Test
    void columnsThatDoNotExistOrAreComputedAreReported() {
        assertThat(faults(loaded(orders().status("stat").version("doubled"))))
                .hasSize(2)
                .anySatisfy(
                        fault -> assertThat(fault)
                                .contains(
                                        "names the column stat for the status, but table orders has no such column. It has the columns id,"))
                .anySatisfy(fault -> assertThat(fault).contains("but the database computes this column"));
        for (String name : List.of("status || ''", "two words")) {
            assertThat(faults(loaded(ClaimTable.of(Order.class, "odd")
                            .id(Long.class, "id")
                            .status(name))))
                    .as(name)
                    .singleElement()
                    .asString()
                    .contains("has no such column");
        }
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

    /**
     * Columns that an index only includes are not unique, nor are the columns of an invalid index or of an index on an
     * expression.
     */
    @Test
    void anIdNeedsAnIndexThatIsUniqueInItsColumns() {
        for (String column : List.of("included", "computed", "invalid", "plain")) {
            assertThat(faults(loaded(ClaimTable.of(Order.class, "odd").id(Long.class, column))))
                    .as(column)
                    .singleElement()
                    .asString()
                    .contains("has neither a primary key nor a unique index");
        }
        assertThat(faults(loaded(ClaimTable.of(Order.class, "odd").id(Long.class, "id"))))
                .isEmpty();
        assertThat(faults(loaded(ClaimTable.of(Order.class, "ODD").id(Long.class, "Id"))))
                .isEmpty();
        assertThat(faults(loaded(ClaimTable.of(Order.class, "\"odd\"").id(Long.class, "\"The \"\"Id\"\"\""))))
                .isEmpty();
    }

    @Test
    void aPartitionedTableAndAStatusOfADomainTypeAreSupported() {
        assertThat(faults(loaded(ClaimTable.of(Order.class, "parted").id(Long.class, "id"))))
                .isEmpty();
        assertThat(faults(loaded(
                        ClaimTable.of(Order.class, "odd").id(Long.class, "id").status("word"))))
                .isEmpty();
    }

    @Test
    void aDroppedColumnIsNotListed() {
        assertThat(faults(loaded(
                        ClaimTable.of(Order.class, "odd").id(Long.class, "id").status("gone"))))
                .singleElement()
                .asString()
                .endsWith(
                        "It has the columns id, The \"Id\", word, status, version, included, computed, invalid, plain, two words.");
    }

    @Test
    void anIdMustHaveAColumnForEachPart() {
        assertThat(faults(loaded(ClaimTable.of(Order.class, "orders").id(Pair.class, "place"))))
                .singleElement()
                .asString()
                .contains("For a record, name a column for each component, in the same order.");
        assertThat(faults(loaded(ClaimTable.of(Order.class, "orders").id(Order.class))))
                .singleElement()
                .asString()
                .contains("names [] as the columns of an id of type Order.");
        assertThat(faults(loaded(ClaimTable.of(Order.class, "orders").id(Pair.class, "place", "id"))))
                .singleElement()
                .asString()
                .contains("declares the id in the column id as Integer, but the column has the type bigint");
        assertThat(faults(loaded(ClaimTable.of(Order.class, "orders").id(Boolean.class, "shown"))))
                .singleElement()
                .asString()
                .contains("Supported types: Long, Integer, Short, BigInteger, UUID, String, and records of these.");
    }

    @Test
    void statusesThatTheColumnCannotHoldAreReported() {
        assertThat(faults(loaded(orders().status("state")), "OPEN", "LOST"))
                .containsExactly(
                        "The ClaimTable of %s cannot have the statuses [LOST]. The status column state has the values [OPEN, CLOSED]. Use one of these."
                                .formatted(Order.class.getName()));
        assertThat(faults(loaded(orders().status("code")), "1", "OPEN"))
                .containsExactly(
                        "The ClaimTable of %s cannot have the statuses [OPEN]. The status column code holds whole numbers. Name the status by its number."
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
    void aQuoteInAStatusIsPartOfTheStatus() {
        EntityTable table = find(
                        Tenants.none(), List.of(loaded(orders())), "status", List.of("can't wait"), Assertions::fail)
                .orElseThrow();

        assertThat(table.flip("can't wait", "OPEN", false)).contains("t.status = 'can''t wait'");
    }

    @Test
    void aWorkflowMustNameTheSameStatusAsTheTable() {
        assertThat(faults(List.of(loaded(orders().status("state"))), "state")).isEmpty();
        assertThat(faults(List.of(loaded(orders().status("state"))), "phase"))
                .singleElement()
                .asString()
                .startsWith("The status property is 'phase', but the ClaimTable of");
    }

    @Test
    void aTableOfAnApplicationWithTenantsIsRefused() {
        assertThat(faults(Tenants.of(new ThreadTenants("a")), List.of(loaded(orders())), "status"))
                .containsExactly(
                        "The ClaimTable of %s cannot name a tenant column, but the application has a TenantContext, so a sweep would not know whose rows to free. Map the entity with JPA."
                                .formatted(Order.class.getName()));
    }

    @Test
    void twoDescriptionsOfOneEntityAreRefused() {
        assertThat(faults(List.of(loaded(orders()), loaded(orders())), "status"))
                .containsExactly("There are 2 beans of type ClaimTable for %s. Keep one of them."
                        .formatted(Order.class.getName()));
    }
}
