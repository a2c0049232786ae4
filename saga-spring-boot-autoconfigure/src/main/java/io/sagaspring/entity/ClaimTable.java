package io.sagaspring.entity;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The table of an entity that JPA does not map, with the columns that a claim needs. Declare a bean for each entity
 * that has a workflow or a claim state:
 *
 * <pre>{@code
 * @Bean
 * ClaimTable<Invoice> invoices(InvoiceRepository repository) {
 *     return ClaimTable.of(Invoice.class, "invoices").id(Long.class, "id").loadedBy(repository::findById);
 * }
 * }</pre>
 *
 * <p>The status is in the column {@code status} and the version in {@code version}, unless you name other columns.
 * Write all names as you would in SQL, with quotes where the database needs them. The library compares the names with
 * the database at start-up.
 *
 * @param <E> the entity
 * @since 0.1.0
 */
public final class ClaimTable<E> {

    private final Class<E> entity;
    private final String table;
    private final Columns columns;
    private final Function<Object, Optional<E>> loader;

    private ClaimTable(Class<E> entity, String table, Columns columns, Function<Object, Optional<E>> loader) {
        this.entity = entity;
        this.table = table;
        this.columns = columns;
        this.loader = loader;
    }

    /**
     * Begins the description of a table.
     *
     * @param entity the class that workflows name as their entity, and whose instances actions receive
     * @param table the name of the table, including its schema if the schema is not on the search path
     * @param <E> the entity
     * @return the description, which still needs the columns of the id
     */
    public static <E> WithoutId<E> of(Class<E> entity, String table) {
        return new WithoutId<>(entity, table);
    }

    Class<E> entity() {
        return entity;
    }

    String table() {
        return table;
    }

    Columns columns() {
        return columns;
    }

    /** Loads an entity with the application's own code. */
    Optional<E> load(Object id) {
        return loader.apply(id);
    }

    @Override
    public String toString() {
        return "ClaimTable of %s".formatted(entity.getName());
    }

    /**
     * The columns, as the application describes them.
     *
     * @param id the class of the ids
     * @param idColumns the columns of the id
     * @param status the column of the status
     * @param statuses the stored values of the statuses by name, or null if the names themselves are stored
     * @param version the column of the version
     * @param lastModified the columns with the time of the last change
     */
    record Columns(
            Class<?> id,
            List<String> idColumns,
            String status,
            @Nullable Map<String, Object> statuses,
            String version,
            List<String> lastModified) {}

    /**
     * A description of a table, which still needs the columns of the id.
     *
     * @param <E> the entity
     */
    public static final class WithoutId<E> {

        private final Class<E> entity;
        private final String table;

        private WithoutId(Class<E> entity, String table) {
            this.entity = entity;
            this.table = table;
        }

        /**
         * Names the columns of the id. The table needs its primary key or another unique key on these columns.
         *
         * @param type the class of the ids: {@code Long} or another whole number, {@code UUID}, {@code String}, or a
         *     record of these whose components are in the order of the columns
         * @param columns the columns
         * @param <I> the class of the ids
         * @return the description, which still needs the function that loads an entity
         */
        public <I> WithoutLoader<E, I> id(Class<I> type, String... columns) {
            return new WithoutLoader<>(
                    entity, table, new Columns(type, List.of(columns), "status", null, "version", List.of()));
        }
    }

    /**
     * A description of a table, which still needs the function that loads an entity.
     *
     * @param <E> the entity
     * @param <I> the class of the ids
     */
    public static final class WithoutLoader<E, I> {

        private final Class<E> entity;
        private final String table;
        private final Columns columns;

        private WithoutLoader(Class<E> entity, String table, Columns columns) {
            this.entity = entity;
            this.table = table;
            this.columns = columns;
        }

        private WithoutLoader<E, I> with(Columns changed) {
            return new WithoutLoader<>(entity, table, changed);
        }

        /**
         * Names the column of the status. The column holds the names of the statuses, as text or as labels of an enum
         * type. If it holds whole numbers, these numbers are the names of the statuses.
         *
         * @param column the column
         * @return the changed description
         */
        public WithoutLoader<E, I> status(String column) {
            return with(new Columns(
                    columns.id(), columns.idColumns(), column, null, columns.version(), columns.lastModified()));
        }

        /**
         * Names the column of the status, which holds the names of an enum's constants.
         *
         * @param column the column
         * @param type the enum
         * @param <S> the enum
         * @return the changed description
         */
        public <S extends Enum<S>> WithoutLoader<E, I> status(String column, Class<S> type) {
            return status(column, type, Enum::name);
        }

        /**
         * Names the column of the status, which holds a value for each constant of an enum, such as its ordinal.
         *
         * @param column the column
         * @param type the enum
         * @param stored the function from a constant to its value in the column, which is either text or a whole number
         * @param <S> the enum
         * @return the changed description
         */
        public <S extends Enum<S>> WithoutLoader<E, I> status(
                String column, Class<S> type, Function<? super S, ?> stored) {
            Map<String, Object> values = new LinkedHashMap<>();
            for (S constant : type.getEnumConstants()) {
                values.put(constant.name(), stored.apply(constant));
            }
            return with(new Columns(
                    columns.id(), columns.idColumns(), column, values, columns.version(), columns.lastModified()));
        }

        /**
         * Names the column of the version, a whole number that every change of the entity increments.
         *
         * @param column the column
         * @return the changed description
         */
        public WithoutLoader<E, I> version(String column) {
            return with(new Columns(
                    columns.id(),
                    columns.idColumns(),
                    columns.status(),
                    columns.statuses(),
                    column,
                    columns.lastModified()));
        }

        /**
         * Names a column with the time of the last change. Each flip sets the column to the current time of the
         * database.
         *
         * @param column the column, which must be a timestamp
         * @return the changed description
         */
        public WithoutLoader<E, I> lastModified(String column) {
            List<String> all = new ArrayList<>(columns.lastModified());
            all.add(column);
            return with(new Columns(
                    columns.id(),
                    columns.idColumns(),
                    columns.status(),
                    columns.statuses(),
                    columns.version(),
                    List.copyOf(all)));
        }

        /**
         * Completes the description.
         *
         * @param loader the function that loads an entity by its id, in the transaction of the calling thread if there
         *     is one; it returns empty if there is no such entity
         * @return the description of the table
         */
        @SuppressWarnings("unchecked") // Each id is converted to the class of the ids before it is passed on.
        public ClaimTable<E> loadedBy(Function<? super I, Optional<E>> loader) {
            return new ClaimTable<>(entity, table, columns, id -> loader.apply((I) id));
        }
    }
}
