package io.sagaspring.entity;

import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Sql;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/**
 * A version that is a time. Each flip sets the version to the time of the database clock, or to one tick after the old
 * version if that is later. The tick is the precision of the column. The column's type is read from the database,
 * because a mapping may state a different type.
 */
final class VersionTime {

    /**
     * The types of version properties that this class can convert. Calendar is missing, because a Calendar drops
     * microseconds, and Hibernate writes and reads a Calendar in two different zones.
     */
    static final Set<Class<?>> TYPES = Set.of(
            Instant.class,
            OffsetDateTime.class,
            ZonedDateTime.class,
            LocalDateTime.class,
            java.sql.Timestamp.class,
            Date.class);

    private static final Set<Integer> POINTS_IN_TIME = Set.of(
            SqlTypes.TIMESTAMP_UTC,
            SqlTypes.TIMESTAMP_WITH_TIMEZONE,
            SqlTypes.INSTANT,
            SqlTypes.OFFSET_DATE_TIME,
            SqlTypes.ZONED_DATE_TIME);
    private static final Set<Integer> LOCAL_TIMES = Set.of(SqlTypes.TIMESTAMP, SqlTypes.LOCAL_DATE_TIME);

    private static final Sql TYPE = Sql.named("entity.version-type", """
            SELECT a.atttypid = 'pg_catalog.timestamptz'::regtype AS zoned,
                a.atttypid = 'pg_catalog.timestamp'::regtype AS local,
                CASE WHEN a.atttypmod < 0 THEN 6 ELSE a.atttypmod END AS precision,
                pg_catalog.format_type(a.atttypid, a.atttypmod) AS type
            FROM pg_catalog.pg_attribute AS a
            WHERE a.attrelid = pg_catalog.to_regclass(:table::text)
                AND a.attname = (pg_catalog.parse_ident(:column::text))[1]""");

    private final PersistenceUnit unit;
    private final String table;
    private final String column;
    private final boolean pointInTime;
    private volatile @Nullable Type type;

    /**
     * Creates the conversion of a version in a column.
     *
     * @param unit the persistence unit
     * @param table the table
     * @param column the column
     * @param jdbcType the JDBC type with which Hibernate writes the column
     */
    VersionTime(PersistenceUnit unit, String table, String column, int jdbcType) {
        this(unit, table, column, POINTS_IN_TIME.contains(jdbcType));
    }

    /** Returns the conversion for the column of the same name in another table. */
    VersionTime in(String other) {
        return new VersionTime(unit, other, column, pointInTime);
    }

    private VersionTime(PersistenceUnit unit, String table, String column, boolean pointInTime) {
        this.unit = unit;
        this.table = table;
        this.column = column;
        this.pointInTime = pointInTime;
    }

    /** Returns true if a column that Hibernate writes with this JDBC type is a timestamp. */
    static boolean isTimestamp(int jdbcType) {
        return POINTS_IN_TIME.contains(jdbcType) || LOCAL_TIMES.contains(jdbcType);
    }

    /**
     * The type of the column.
     *
     * @param zoned true if the column holds points in time, false if it holds local times
     * @param precision the number of decimal places of the second
     */
    private record Type(boolean zoned, int precision) {}

    /** Reads the column's type from the database, unless it is known. */
    void locate() {
        Type unused = type();
    }

    private Type type() {
        Type known = type;
        if (known == null) {
            known = read();
            type = known;
        }
        return known;
    }

    private Type read() {
        return unit.own()
                .single(connection -> TYPE.on(connection)
                        .with("table", table)
                        .with("column", column)
                        .first(row -> {
                            boolean zoned = row.is("zoned");
                            if (!zoned && (pointInTime || !row.is("local"))) {
                                throw unsuitable("has the type '%s'".formatted(row.text("type")));
                            }
                            return new Type(zoned, row.integer("precision"));
                        }))
                .orElseThrow(() -> unsuitable("does not exist"));
    }

    private UnsupportedMappingException unsuitable(String predicate) {
        return new UnsupportedMappingException(List.of(
                "A @Version that is a time is mapped to the column %s of %s, but this column %s. It must have the type '%s'."
                        .formatted(
                                column,
                                table,
                                predicate,
                                pointInTime ? "timestamp with time zone" : "timestamp' or 'timestamp with time zone")));
    }

    /** Returns the expression for the microseconds since 1970. A local time is treated as UTC. */
    String micros(String version) {
        return "pg_catalog.floor(EXTRACT(epoch FROM %s) * 1000000)::bigint".formatted(version);
    }

    /** Returns the expression for a version that is later than the given one. */
    String next(String version) {
        Type found = type();
        String clock = found.zoned()
                ? "pg_catalog.clock_timestamp()::timestamp(%s) with time zone".formatted(found.precision())
                : "(pg_catalog.clock_timestamp() AT TIME ZONE %s)::timestamp(%s)"
                        .formatted(name(zone()), found.precision());
        return "GREATEST(%s, %s + INTERVAL '%s s')"
                .formatted(
                        clock,
                        version,
                        BigDecimal.ONE.movePointLeft(found.precision()).toPlainString());
    }

    /**
     * Returns the expression for a version that is later than the given version and the given number of microseconds.
     */
    String nextAfter(String version, String micros) {
        return next("GREATEST(%s, %s 'epoch' + %s * INTERVAL '1 microsecond')"
                .formatted(version, type().zoned() ? "TIMESTAMPTZ" : "TIMESTAMP", micros));
    }

    /** Returns true if the column stores microseconds, the precision that this class uses for versions in memory. */
    boolean isExact() {
        return type().precision() == 6;
    }

    /** Returns the microseconds of a value of the version property, in the same way as {@link #micros(String)}. */
    long micros(Object value) {
        if (value instanceof LocalDateTime local && !type().zoned() && jdbcZone() == null) {
            return micros(local.toInstant(ZoneOffset.UTC));
        }
        Instant instant = instant(value);
        return micros(
                type().zoned()
                        ? instant
                        : instant.atZone(zone()).toLocalDateTime().toInstant(ZoneOffset.UTC));
    }

    private static Instant instant(Object value) {
        if (value instanceof OffsetDateTime time) {
            return time.toInstant();
        }
        if (value instanceof ZonedDateTime time) {
            return time.toInstant();
        }
        if (value instanceof LocalDateTime time) {
            // Hibernate passes a local time to the driver as a time in this JVM's zone.
            return time.atZone(ZoneId.systemDefault()).toInstant();
        }
        return value instanceof Date time ? time.toInstant() : (Instant) value;
    }

    private static long micros(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
    }

    /** Returns the zone in which Hibernate writes local times. */
    private ZoneId zone() {
        TimeZone set = jdbcZone();
        return set == null ? ZoneId.systemDefault() : set.toZoneId();
    }

    private @Nullable TimeZone jdbcZone() {
        return unit.sessionFactory().getSessionFactoryOptions().getJdbcTimeZone();
    }

    /**
     * Returns the SQL expression for a zone. A fixed offset is written as an interval, because PostgreSQL interprets
     * the sign in a name such as {@code GMT+02:00} the opposite way.
     */
    static String name(ZoneId zone) {
        return zone.getRules().isFixedOffset()
                ? "INTERVAL '%s s'"
                        .formatted(zone.getRules().getOffset(Instant.EPOCH).getTotalSeconds())
                : Fragments.literal(zone.getId());
    }
}
