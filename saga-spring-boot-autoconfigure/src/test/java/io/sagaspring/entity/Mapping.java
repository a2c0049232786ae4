package io.sagaspring.entity;

import static io.sagaspring.entity.MappedShop.shop;

import io.sagaspring.entity.supported.Counted;
import io.sagaspring.entity.supported.State;
import io.sagaspring.entity.supported.SupportedEmbeddables;
import io.sagaspring.entity.supported.SupportedHierarchies;
import io.sagaspring.entity.supported.SupportedIds;
import io.sagaspring.entity.supported.SupportedKeys;
import io.sagaspring.entity.supported.SupportedRows;
import io.sagaspring.entity.supported.SupportedStatuses;
import io.sagaspring.entity.supported.SupportedTables;
import io.sagaspring.entity.supported.SupportedValues;
import io.sagaspring.entity.supported.SupportedValues.Serial;
import io.sagaspring.entity.supported.SupportedVersions;
import jakarta.persistence.EntityManager;
import java.math.BigInteger;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** The supported ways of mapping an entity. */
enum Mapping implements Claimed {
    LONG(SupportedIds.NumberedByLong.class, Long::valueOf),
    PRIMITIVE(SupportedIds.NumberedByPrimitive.class, Long::valueOf),
    INTEGER(SupportedIds.NumberedByInteger.class, Integer::valueOf),
    SHORT(SupportedIds.NumberedByShort.class, number -> (short) number),
    BIG_INTEGER(SupportedIds.NumberedByBigInteger.class, BigInteger::valueOf),
    UUIDS(SupportedIds.NamedByUuid.class, number -> new UUID(number, -number)),
    TEXT(SupportedIds.NamedByText.class, number -> "it's №" + number),
    FIXED_TEXT(SupportedIds.NamedByFixedText.class, number -> "ä~, " + number),
    TEXT_WITHOUT_CASE(SupportedIds.NamedByTextWithoutCase.class, number -> "Ab~,Ä" + number),
    MAPPED_SUPERCLASS(SupportedHierarchies.Inheriting.class, Long::valueOf),
    QUOTED(SupportedTables.Quoted.class, Long::valueOf),
    JOINED_STATUS_IN_ROOT(SupportedHierarchies.Letter.class, Long::valueOf),
    JOINED_SIBLING_STATUS_IN_ROOT(SupportedHierarchies.Receipt.class, Long::valueOf),
    JOINED_STATUS_IN_SUBCLASS(SupportedHierarchies.Car.class, Long::valueOf),
    JOINED_SIBLING_STATUS_IN_SUBCLASS(SupportedHierarchies.Boat.class, Long::valueOf),
    JOINED_STATUS_IN_MIDDLE_CLASS(SupportedHierarchies.Taxi.class, Long::valueOf),
    CACHED(SupportedTables.Remembered.class, Long::valueOf),
    SECONDARY_TABLE(SupportedTables.Split.class, Long::valueOf),
    TABLE_PER_CLASS(SupportedHierarchies.Circle.class, Long::valueOf),
    SINGLE_TABLE(SupportedHierarchies.Animal.class, Long::valueOf),
    CONVERTED_STATUS(SupportedStatuses.Converted.class, Long::valueOf),
    AUTO_CONVERTED_STATUS(SupportedStatuses.AutoConverted.class, Long::valueOf),
    ENUMERATED_TEXT(SupportedStatuses.LetteredEntity.class, Long::valueOf),
    ENUMERATED_NUMBER(SupportedStatuses.NumberedEntity.class, Long::valueOf),
    ENUMERATED_NAMED_ENUM(SupportedStatuses.LetteredEnum.class, Long::valueOf),
    STATUS_OF_USER_TYPE(SupportedStatuses.TypedByUser.class, Long::valueOf),
    STATUS_OF_JAVA_TYPE(SupportedStatuses.TypedByJava.class, Long::valueOf),
    STATUS_OBJECT_WITH_CONSTANTS(SupportedStatuses.Coloured.class, Long::valueOf),
    STATUS_OBJECT_AS_TEXT(SupportedStatuses.Placed.class, Long::valueOf),
    STATUS_OBJECT_AS_NUMBER(SupportedStatuses.Graded.class, Long::valueOf),
    EMBEDDED_STATUS(SupportedEmbeddables.Living.class, Long::valueOf),
    EMBEDDED_RECORD(SupportedEmbeddables.Fated.class, Long::valueOf),
    RECORD_IN_EMBEDDED(SupportedEmbeddables.Historic.class, Long::valueOf),
    EMBEDDED_IN_RECORD(SupportedEmbeddables.Framed.class, Long::valueOf),
    EMBEDDED_WITH_INSTANTIATOR(SupportedEmbeddables.Unchanging.class, Long::valueOf),
    SINGLE_TABLE_SUBCLASS(SupportedRows.Cat.class, Long::valueOf),
    JOINED_ROOT(SupportedRows.Payment.class, Long::valueOf),
    JOINED_SUBCLASS_BESIDE_ITS_ROOT(SupportedRows.CardPayment.class, Long::valueOf),
    SOFT_DELETE(SupportedRows.DeletedByFlag.class, Long::valueOf),
    SOFT_DELETE_CONVERTED(SupportedRows.ActiveByLetter.class, Long::valueOf),
    SOFT_DELETE_TIMESTAMP(SupportedRows.DeletedAtATime.class, Long::valueOf),
    SOFT_DELETE_JOINED(SupportedRows.Lease.class, Long::valueOf),
    RESTRICTED(SupportedRows.Restricted.class, Long::valueOf),
    RESTRICTED_SECONDARY_TABLE(SupportedRows.RestrictedSplit.class, Long::valueOf),
    RESTRICTION_INHERITED(SupportedRows.InheritingRestriction.class, Long::valueOf),
    RESTRICTION_TABLE_PER_CLASS(SupportedRows.Draft.class, Long::valueOf),
    VERSION_INSTANT(SupportedVersions.TimedByInstant.class, Long::valueOf),
    VERSION_OFFSET_DATE_TIME(SupportedVersions.TimedByOffsetDateTime.class, Long::valueOf),
    VERSION_ZONED_DATE_TIME(SupportedVersions.TimedByZonedDateTime.class, Long::valueOf),
    VERSION_LOCAL_DATE_TIME(SupportedVersions.TimedByLocalDateTime.class, Long::valueOf),
    VERSION_TIMESTAMP(SupportedVersions.TimedByTimestamp.class, Long::valueOf),
    VERSION_DATE(SupportedVersions.TimedByDate.class, Long::valueOf),
    VERSION_OF_SECONDS(SupportedVersions.TimedBySeconds.class, Long::valueOf),
    VERSION_OF_MILLISECONDS(SupportedVersions.TimedByMilliseconds.class, Long::valueOf),
    VERSION_LOCAL_IN_ZONED(SupportedVersions.TimedByLocalInZoned.class, Long::valueOf),
    ID_EMBEDDED_RECORD(SupportedKeys.InSlot.class, number -> new SupportedKeys.Slot("it's ~1,~", (long) number)),
    ID_EMBEDDED_CLASS(SupportedKeys.AtPlace.class, number -> new SupportedKeys.Place(",", (long) number)),
    ID_EMBEDDED_VALUE(SupportedKeys.WithTicket.class, number -> new SupportedKeys.Ticket(new Serial(number))),
    ID_EMBEDDED_NESTED(SupportedKeys.AtAddress.class, Mapping::address),
    ID_CLASS(SupportedKeys.OfClass.class, number -> new SupportedKeys.Pair("~", number)),
    ID_RECORD(SupportedKeys.OfRecord.class, Mapping::code),
    ID_CLASS_WITH_ASSOCIATION(SupportedKeys.OfDepot.class, number -> new SupportedKeys.Numbered((long) number, -1)),
    MAPS_ID(SupportedKeys.OnShelf.class, number -> new SupportedKeys.Shelf((long) number, "a,b")),
    ID_EMBEDDED_JOINED(SupportedKeys.Crane.class, number -> new SupportedKeys.Slot("7", (long) number)),
    ID_EMBEDDED_SECONDARY_TABLE(SupportedKeys.Halved.class, number -> new SupportedKeys.Slot("7", (long) number)),
    JAVA_TYPE(SupportedValues.Labelled.class, number -> new SupportedValues.Label("~,é" + number)),
    BINARY_UUID(SupportedValues.NamedByBinaryUuid.class, number -> new UUID(-number, number)),
    BYTES(SupportedValues.NamedByBytes.class, number -> new byte[] {0, -1, (byte) number});

    private static final AtomicInteger ids = new AtomicInteger();

    final Class<?> entity;

    @SuppressWarnings("ImmutableEnumChecker") // The functions that create ids have no state.
    private final IntFunction<Object> id;

    Mapping(Class<?> entity, IntFunction<Object> id) {
        this.entity = entity;
        this.id = id;
    }

    private static Object address(int number) {
        return new SupportedKeys.Address(
                "z",
                new SupportedKeys.Area(new Serial(number), new UUID(number, -number), new UUID(-1, number)),
                new SupportedValues.Tag("ä,~"),
                State.CLOSING,
                State.CLOSED,
                State.OPEN,
                true,
                ',');
    }

    private static Object code(int number) {
        return new SupportedKeys.Code("a~b", (short) number, new UUID(1, number));
    }

    @Override
    public String workflow() {
        return entity.getSimpleName().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public List<String> states() {
        return switch (this) {
            case TEXT -> List.of("it's open", "it's closing", "it's closed");
            case STATUS_OBJECT_AS_TEXT -> List.of("it's: open", "it's: closing", "?");
            case STATUS_OBJECT_AS_NUMBER -> List.of("-1", "0", "12");
            default -> List.of("OPEN", "CLOSING", "CLOSED");
        };
    }

    /** Returns the name of the property with the status. */
    String status() {
        return switch (this) {
            case TEXT -> "phase";
            case EMBEDDED_STATUS -> "lifecycle.status";
            case EMBEDDED_RECORD -> "fate.status";
            case RECORD_IN_EMBEDDED -> "history.fate.status";
            case EMBEDDED_IN_RECORD -> "frame.lifecycle.status";
            case EMBEDDED_WITH_INSTANTIATOR -> "fixed.status";
            default -> "status";
        };
    }

    @Override
    public MappedTable table() {
        return (MappedTable) Claimed.super.table();
    }

    @Override
    public Object save() {
        return save(entity);
    }

    Object save(Class<?> type) {
        Object key = id.apply(ids.incrementAndGet());
        shop.inTransaction(entities -> {
            try {
                entities.persist(type.getConstructor(key.getClass()).newInstance(key));
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException(impossible);
            }
            return null;
        });
        return key;
    }

    /** Reads the row through JPA. If the version is a time, the result contains the number of its changes instead. */
    @Override
    public EntityRow read(Object key) {
        return shop.inTransaction(entities -> {
            ManagedEntity found = new ManagedEntity(table(), entities, key, entities.find(entity, key));
            return new EntityRow(
                    found.status().strip(),
                    found.entity() instanceof Counted counted
                            ? TimedVersions.changes(counted, found, table().read(key))
                            : found.version());
        });
    }

    /** Reads an entity in memory. */
    EntityRow row(EntityManager entities, Object key, Object instance) {
        ManagedEntity found = new ManagedEntity(table(), entities, key, instance);
        return new EntityRow(found.status().strip(), found.version());
    }

    @Override
    public EntityRow row(Object key, Object instance) {
        return entity.isInstance(instance)
                ? row(shop.bean(EntityManager.class), key, instance)
                : table().read(key).orElseThrow();
    }

    @Override
    public void writeStatus(Object key, String status) {
        shop.inTransaction(entities -> {
            ManagedEntity found = new ManagedEntity(table(), entities, key, entities.find(entity, key));
            found.setStatus(status);
            return found.flushThen(connection -> true);
        });
    }
}
