package io.sagaspring.entity;

import static io.sagaspring.entity.ClaimedShop.shop;

import io.sagaspring.entity.described.Described;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The kinds of tables that an application may describe. */
enum DescribedKind implements Claimed {
    LONG(
            Described.ByLong.class,
            "by_long",
            "id bigint PRIMARY KEY, status text NOT NULL, version bigint NOT NULL DEFAULT 0",
            Long.class,
            Long::valueOf),
    INTEGER(
            Described.ByInteger.class,
            "by_integer",
            "id integer PRIMARY KEY, status varchar(20) NOT NULL, version integer NOT NULL DEFAULT 0",
            Integer.class,
            Integer::valueOf),
    UUIDS(
            Described.ByUuid.class,
            "by_uuid",
            "id uuid PRIMARY KEY, status text NOT NULL, version bigint NOT NULL DEFAULT 0",
            UUID.class,
            number -> new UUID(number, -number)),
    TEXT(
            Described.ByText.class,
            "by_text",
            "id text PRIMARY KEY, status text NOT NULL, version smallint NOT NULL DEFAULT 0",
            String.class,
            number -> "it's №" + number),
    PADDED_TEXT(
            Described.ByPaddedText.class,
            "by_padded_text",
            "id char(12) PRIMARY KEY, status char(9) NOT NULL, version bigint NOT NULL DEFAULT 0",
            String.class,
            "%012d"::formatted),
    BIG_NUMBER(
            Described.ByBigNumber.class,
            "by_big_number",
            "id numeric PRIMARY KEY, status text NOT NULL, version numeric NOT NULL DEFAULT 0",
            java.math.BigInteger.class,
            number -> java.math.BigInteger.TEN.pow(30).add(java.math.BigInteger.valueOf(number))),
    COMPOSITE(
            Described.InSlot.class,
            "in_slot",
            "place text, number bigint, status text NOT NULL, version bigint NOT NULL DEFAULT 0, PRIMARY KEY (place, number)",
            Described.Slot.class,
            number -> new Described.Slot("it's ~1,~", (long) number)) {
        @Override
        List<String> idColumns() {
            return List.of("place", "number");
        }
    },
    VALUE(
            Described.WithTicket.class,
            "with_ticket",
            "id bigint UNIQUE NOT NULL, status text NOT NULL, version bigint NOT NULL DEFAULT 0",
            Described.Ticket.class,
            Described.Ticket::new),
    NAMED_ENUM(
            Described.OfNamedEnum.class,
            "of_named_enum",
            "id bigint PRIMARY KEY, status described_phase NOT NULL, version bigint NOT NULL DEFAULT 0",
            Long.class,
            Long::valueOf),
    JAVA_ENUM(
            Described.OfJavaEnum.class,
            "of_java_enum",
            "id bigint PRIMARY KEY, status text NOT NULL, version bigint NOT NULL DEFAULT 0",
            Long.class,
            Long::valueOf,
            table -> table.status("status", Described.Phase.class)),
    ORDINAL(
            Described.OfOrdinal.class,
            "of_ordinal",
            "id bigint PRIMARY KEY, status smallint NOT NULL, version bigint NOT NULL DEFAULT 0",
            Long.class,
            Long::valueOf,
            table -> table.status("status", Described.Phase.class, Enum::ordinal)),
    CODE(
            Described.OfCode.class,
            "of_code",
            "id bigint PRIMARY KEY, status text NOT NULL, version bigint NOT NULL DEFAULT 0",
            Long.class,
            Long::valueOf,
            table -> table.status("status", Described.Phase.class, Described.Phase::code)),
    NUMBER(
            Described.OfNumber.class,
            "of_number",
            "id bigint PRIMARY KEY, status integer NOT NULL, version bigint NOT NULL DEFAULT 0",
            Long.class,
            Long::valueOf),
    QUALIFIED(
            Described.Elsewhere.class,
            "\"The Warehouse\".\"the order\"",
            "\"select\" bigint PRIMARY KEY, \"the Status\" text NOT NULL, \"from\" bigint NOT NULL DEFAULT 0",
            Long.class,
            Long::valueOf,
            table -> table.status("\"the Status\"").version("\"from\"")) {
        @Override
        List<String> idColumns() {
            return List.of("\"select\"");
        }
    },
    MODIFIED(
            Described.Modified.class,
            "modified",
            "id bigint PRIMARY KEY, status text NOT NULL, version bigint NOT NULL DEFAULT 0, changed_at timestamptz",
            Long.class,
            Long::valueOf,
            table -> table.lastModified("changed_at")),
    AGGREGATE(
            Described.Invoice.class,
            "invoice",
            "id bigint PRIMARY KEY, status text NOT NULL, version bigint NOT NULL DEFAULT 0, note text NOT NULL DEFAULT ''",
            Long.class,
            Long::valueOf);

    private static final AtomicInteger ids = new AtomicInteger();

    final Class<?> entity;
    final String table;
    private final String columns;

    @SuppressWarnings("ImmutableEnumChecker")
    private final Class<?> idType;

    @SuppressWarnings("ImmutableEnumChecker") // The functions that create ids have no state.
    private final IntFunction<Object> id;

    @SuppressWarnings("ImmutableEnumChecker")
    private final UnaryOperator<ClaimTable.WithoutLoader<Object, Object>> named;

    DescribedKind(Class<?> entity, String table, String columns, Class<?> idType, IntFunction<Object> id) {
        this(entity, table, columns, idType, id, UnaryOperator.identity());
    }

    DescribedKind(
            Class<?> entity,
            String table,
            String columns,
            Class<?> idType,
            IntFunction<Object> id,
            UnaryOperator<ClaimTable.WithoutLoader<Object, Object>> named) {
        this.entity = entity;
        this.table = table;
        this.columns = columns;
        this.idType = idType;
        this.id = id;
        this.named = named;
    }

    List<String> idColumns() {
        return List.of("id");
    }

    private String statusColumn() {
        return this == QUALIFIED ? "\"the Status\"" : "status";
    }

    private String versionColumn() {
        return this == QUALIFIED ? "\"from\"" : "version";
    }

    String ddl() {
        return "CREATE TABLE %s (%s)".formatted(table, columns);
    }

    /** Returns the description. Its loader bypasses the library. */
    @SuppressWarnings("unchecked")
    ClaimTable<?> description(JdbcClient client, CrudRepository<Described.Invoice, Long> repository) {
        ClaimTable.WithoutLoader<Object, Object> table = ClaimTable.of((Class<Object>) entity, this.table)
                .id((Class<Object>) idType, idColumns().toArray(String[]::new));
        return named.apply(table)
                .loadedBy(key -> this == AGGREGATE
                        ? repository.findById((Long) key).map(invoice -> (Object) invoice)
                        : row(client, key).map(row -> Described.create(entity, key, row)));
    }

    @Override
    public String workflow() {
        return entity.getSimpleName().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public List<String> states() {
        return switch (this) {
            case TEXT -> List.of("it's: open", "it's closing", "?");
            case NUMBER -> List.of("-1", "0", "12");
            default -> List.of("OPEN", "CLOSING", "CLOSED");
        };
    }

    /** Returns the stored value of a status, as text. */
    private String stored(String status) {
        return switch (this) {
            case ORDINAL -> Integer.toString(states().indexOf(status));
            case CODE -> Described.Phase.valueOf(status).code();
            default -> status;
        };
    }

    private String typeOfStatus() {
        return switch (this) {
            case NAMED_ENUM -> "described_phase";
            case ORDINAL, NUMBER -> "integer";
            default -> "text";
        };
    }

    private static List<Object> values(Object key) {
        if (key instanceof Described.Slot slot) {
            return List.of(slot.place(), slot.number());
        }
        return List.of(
                key instanceof Described.Ticket ticket
                        ? ticket.number()
                        : key instanceof java.math.BigInteger number ? new java.math.BigDecimal(number) : key);
    }

    private String isRow() {
        return idColumns().stream().map(column -> column + " = ?").collect(Collectors.joining(" AND "));
    }

    @Override
    public Object save() {
        Object key = id.apply(ids.incrementAndGet());
        List<Object> values = new ArrayList<>(values(key));
        values.add(stored(states().get(0)));
        shop.database()
                .sql("INSERT INTO %s (%s, %s) VALUES (%s, CAST(? AS %s))"
                        .formatted(
                                table,
                                String.join(", ", idColumns()),
                                statusColumn(),
                                idColumns().stream().map(any -> "?").collect(Collectors.joining(", ")),
                                typeOfStatus()))
                .params(values)
                .update();
        return key;
    }

    @Override
    public EntityRow read(Object key) {
        return row(shop.database(), key).orElseThrow();
    }

    private java.util.Optional<EntityRow> row(JdbcClient client, Object key) {
        return client.sql("SELECT %s::text, %s FROM %s WHERE %s"
                        .formatted(statusColumn(), versionColumn(), table, isRow()))
                .params(values(key))
                .query((found, number) -> new EntityRow(name(found.getString(1)), found.getLong(2)))
                .optional();
    }

    private String name(String stored) {
        return states().stream()
                .filter(state -> stored(state).equals(stored))
                .findFirst()
                .orElse(stored);
    }

    @Override
    public EntityRow row(Object key, @Nullable Object instance) {
        return instance instanceof Described described ? described.row() : read(key);
    }

    @Override
    public void writeStatus(Object key, String status) {
        write(
                key,
                "%s = CAST('%s' AS %s)".formatted(statusColumn(), stored(status).replace("'", "''"), typeOfStatus()));
    }

    /** Changes columns in the way that an application would, and increments the version. */
    void write(Object key, String assignments) {
        shop.database().sql(update(assignments)).params(values(key)).update();
    }

    String update(String assignments) {
        return "UPDATE %1$s SET %2$s, %3$s = %3$s + 1 WHERE %4$s"
                .formatted(table, assignments, versionColumn(), isRow());
    }
}
