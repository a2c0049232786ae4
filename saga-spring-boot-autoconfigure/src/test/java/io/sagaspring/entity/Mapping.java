package io.sagaspring.entity;

import static io.sagaspring.entity.MappedShop.shop;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.supported.State;
import io.sagaspring.entity.supported.SupportedHierarchies;
import io.sagaspring.entity.supported.SupportedIds;
import io.sagaspring.entity.supported.SupportedKeys;
import io.sagaspring.entity.supported.SupportedTables;
import io.sagaspring.entity.supported.SupportedValues;
import io.sagaspring.entity.supported.SupportedValues.Serial;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.TransitionOutcome;
import java.math.BigInteger;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** The supported ways of mapping an entity. */
enum Mapping {
    LONG(SupportedIds.NumberedByLong.class, Long::valueOf),
    PRIMITIVE(SupportedIds.NumberedByPrimitive.class, Long::valueOf),
    INTEGER(SupportedIds.NumberedByInteger.class, Integer::valueOf),
    SHORT(SupportedIds.NumberedByShort.class, number -> (short) number),
    BIG_INTEGER(SupportedIds.NumberedByBigInteger.class, BigInteger::valueOf),
    UUIDS(SupportedIds.NamedByUuid.class, number -> new UUID(number, -number)),
    TEXT(SupportedIds.NamedByText.class, number -> "it's №" + number),
    MAPPED_SUPERCLASS(SupportedHierarchies.Inheriting.class, Long::valueOf),
    QUOTED(SupportedTables.Quoted.class, Long::valueOf),
    JOINED_STATUS_IN_ROOT(SupportedHierarchies.Letter.class, Long::valueOf),
    JOINED_SIBLING_STATUS_IN_ROOT(SupportedHierarchies.Receipt.class, Long::valueOf),
    JOINED_STATUS_IN_SUBCLASS(SupportedHierarchies.Car.class, Long::valueOf),
    JOINED_SIBLING_STATUS_IN_SUBCLASS(SupportedHierarchies.Boat.class, Long::valueOf),
    JOINED_STATUS_IN_THE_MIDDLE(SupportedHierarchies.Taxi.class, Long::valueOf),
    CACHED(SupportedTables.Remembered.class, Long::valueOf),
    SECONDARY_TABLE(SupportedTables.Split.class, Long::valueOf),
    TABLE_PER_CLASS(SupportedHierarchies.Circle.class, Long::valueOf),
    SINGLE_TABLE(SupportedHierarchies.Animal.class, Long::valueOf),
    EMBEDDED_RECORD(SupportedKeys.InSlot.class, number -> new SupportedKeys.Slot("it's ~1,~", (long) number)),
    EMBEDDED_CLASS(SupportedKeys.AtPlace.class, number -> new SupportedKeys.Place(",", (long) number)),
    EMBEDDED_VALUE(SupportedKeys.WithTicket.class, number -> new SupportedKeys.Ticket(new Serial(number))),
    EMBEDDED_NESTED(SupportedKeys.AtAddress.class, Mapping::address),
    ID_CLASS(SupportedKeys.OfClass.class, number -> new SupportedKeys.Pair("~", number)),
    ID_RECORD(SupportedKeys.OfRecord.class, Mapping::code),
    ID_CLASS_WITH_ASSOCIATION(SupportedKeys.OfDepot.class, number -> new SupportedKeys.Numbered((long) number, -1)),
    MAPS_ID(SupportedKeys.OnShelf.class, number -> new SupportedKeys.Shelf((long) number, "a,b")),
    EMBEDDED_JOINED(SupportedKeys.Crane.class, number -> new SupportedKeys.Slot("7", (long) number)),
    EMBEDDED_SECONDARY_TABLE(SupportedKeys.Halved.class, number -> new SupportedKeys.Slot("7", (long) number)),
    JAVA_TYPE(SupportedValues.Labelled.class, number -> new SupportedValues.Label("~,é" + number)),
    BINARY_UUID(SupportedValues.NamedByBinaryUuid.class, number -> new UUID(-number, number)),
    BYTES(SupportedValues.NamedByBytes.class, number -> new byte[] {0, -1, (byte) number});

    private static final AtomicInteger ids = new AtomicInteger();

    final Class<?> entity;

    @SuppressWarnings("ImmutableEnumChecker") // The functions that make ids have no state.
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

    /** Returns the text by which a caller can name the entity. */
    String text(Object key) {
        return table().text(key);
    }

    String workflow() {
        return entity.getSimpleName().toLowerCase(java.util.Locale.ROOT);
    }

    List<String> states() {
        return this == TEXT
                ? List.of("it's open", "it's closing", "it's closed")
                : List.of("OPEN", "CLOSING", "CLOSED");
    }

    ClaimState claimState() {
        return shop.bean(DeclaredClaimStates.class).all().stream()
                .filter(state -> state.workflow().equals(workflow()))
                .findFirst()
                .orElseThrow();
    }

    EntityTable table() {
        return shop.bean(DeclaredClaimStates.class).tableOf(claimState());
    }

    Object save() {
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

    /** Reads the row through JPA. */
    EntityRow read(Object key) {
        return shop.inTransaction(entities -> {
            LoadedEntity found = new LoadedEntity(table(), entities, key, entities.find(entity, key));
            return new EntityRow(found.status().strip(), found.version());
        });
    }

    void writeStatus(Object key, String status) {
        shop.inTransaction(entities -> {
            new LoadedEntity(table(), entities, key, entities.find(entity, key)).setStatus(status);
            return null;
        });
    }

    TransitionOutcome close(Object key) {
        return shop.workflows().run(workflow(), key, "close", Shop.ADMIN);
    }

    ClaimAttempt claim(Object key) {
        return shop.bean(ClaimService.class).tryClaim(claimState(), key, "admin");
    }
}
