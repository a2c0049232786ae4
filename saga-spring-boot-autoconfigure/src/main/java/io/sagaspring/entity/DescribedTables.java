package io.sagaspring.entity;

import io.sagaspring.database.Databases;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The entities that JPA does not map and whose tables the application describes.
 *
 * @since 0.1.0
 */
public final class DescribedTables implements EntitySource {

    private final List<ClaimTable<?>> tables;
    private final JdbcTransactions transactions;
    private final Databases databases;

    /**
     * Collects the tables.
     *
     * @param tables the tables that the application describes
     * @param dataSource the data source of the database that holds the library's tables
     * @param manager the supplier of the transaction manager for the application's own code
     * @param databases the databases that hold claims, including the home database, to which the data source leads
     */
    public DescribedTables(
            List<ClaimTable<?>> tables,
            DataSource dataSource,
            Supplier<PlatformTransactionManager> manager,
            Databases databases) {
        this.databases = databases;
        this.tables = List.copyOf(tables);
        this.transactions =
                new JdbcTransactions(dataSource, manager, databases.home().own());
    }

    @Override
    public Optional<EntityTable> table(Class<?> entity, String statusProperty, Collection<String> statuses) {
        List<ClaimTable<?>> found =
                tables.stream().filter(table -> table.entity() == entity).toList();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        ClaimTable<?> described = found.get(0);
        if (found.size() > 1) {
            throw refused("There are %s beans of type ClaimTable for %s. Keep one of them."
                    .formatted(found.size(), entity.getName()));
        }
        if (!databases.tenants().areNone()) {
            throw refused(
                    "The %s cannot name a tenant column, but the application has a TenantContext, so a sweep would not know whose rows to free. Map the entity with JPA."
                            .formatted(described));
        }
        if (!CatalogTable.isTableName(described.table())) {
            throw refused(
                    "The %s names the table '%s', which is not a valid name of a table. Write the name as in SQL, such as invoices or shop.invoices."
                            .formatted(described, described.table()));
        }
        CatalogTable catalog = CatalogTable.read(transactions.own(), described.table());
        if (catalog == null) {
            throw refused(
                    "The %s names the table %s, which does not exist in the database of the library's tables. Correct the name, or create the table before the application starts."
                            .formatted(described, described.table()));
        }
        return Optional.of(table(described, catalog, statusProperty, statuses));
    }

    private DescribedTable table(
            ClaimTable<?> described, CatalogTable catalog, String statusProperty, Collection<String> names) {
        DescribedColumns read = new DescribedColumns(described, catalog);
        DescribedId id = read.id();
        Statuses statuses = read.statuses(names);
        MappedColumns columns = read.columns();
        LastModified modified = read.lastModified();
        List<String> faults = Stream.concat(read.faults().stream(), statusFault(described, statusProperty).stream())
                .toList();
        if (!faults.isEmpty()) {
            throw new UnsupportedMappingException(faults);
        }
        return new DescribedTable(
                new TableParts(
                        described.entity(),
                        transactions.own(),
                        new NoTableTenants(databases),
                        columns,
                        Objects.requireNonNull(id),
                        Objects.requireNonNull(statuses),
                        modified),
                described,
                transactions,
                null);
    }

    /**
     * Returns a fault if a workflow names a status property other than the table's status column. The default name,
     * {@code status}, is accepted whatever the column's name is.
     */
    private static Optional<String> statusFault(ClaimTable<?> described, String statusProperty) {
        String column = described.columns().status();
        return statusProperty.equals(column) || statusProperty.equals("status")
                ? Optional.empty()
                : Optional.of(
                        "The status property is '%s', but the %s has its status in the column %s. Leave out the status property, or set it to the name of that column."
                                .formatted(statusProperty, described, column));
    }

    private static UnsupportedMappingException refused(String sentence) {
        return new UnsupportedMappingException(List.of(sentence));
    }

    @Override
    public Optional<String> refusal(Class<?> entity) {
        return Optional.empty();
    }
}
