package io.sagaspring.entity;

import static io.sagaspring.entity.RefusedMappingTests.tables;
import static io.sagaspring.entity.RefusedMappingTests.unit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sagaspring.entity.refused.RefusedConversions;
import io.sagaspring.entity.refused.RefusedEmbeddables;
import io.sagaspring.entity.supported.SupportedStatuses;
import jakarta.persistence.EntityManagerFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A conversion or an embeddable is refused if a statement could find or write a different status than JPA. */
class RefusedStatusTests {

    private static final List<String> STATES = List.of("OPEN", "CLOSING", "CLOSED");

    static Stream<Arguments> conversions() {
        return Stream.of(
                arguments(
                        RefusedConversions.Blank.class,
                        "has a status property 'status' whose statuses CLOSING and CLOSED are both stored as 'c'. Store each as a different value."),
                arguments(
                        RefusedConversions.Nulled.class,
                        "has a status property 'status' whose constant OPEN is stored as null. Convert every constant to a value that is not null."),
                arguments(
                        RefusedConversions.Lettered.class,
                        "has a status property 'status' whose statuses CLOSING and CLOSED are both stored as 'C'."),
                arguments(
                        RefusedConversions.AllAliased.class,
                        "has a status property 'status' whose statuses OPEN and INITIAL are both stored as 'o'."),
                arguments(
                        RefusedConversions.AllFailed.class,
                        "has a status property 'status' whose constant CLOSED cannot be converted: java.lang.IllegalStateException: CLOSED is not from the database. Make the conversion accept every constant in both directions."),
                arguments(
                        RefusedConversions.AllFailed.class,
                        "has a status property 'status' whose constant CLOSING cannot be converted: java.lang.IllegalArgumentException: CLOSING is not for the database. Make the conversion accept every constant in both directions."),
                arguments(
                        RefusedConversions.Forgotten.class,
                        "has a status property 'status' whose constant CLOSING is stored as '1' and read back as OPEN. Make the conversion return the constant, or an object that equals it."),
                arguments(
                        RefusedConversions.AllFresh.class,
                        "has a status property 'status' whose constant OPEN is stored as 'o' and read back as Fresh."),
                arguments(
                        RefusedConversions.Dated.class,
                        "has a status property 'status' that is converted to DATE. Convert it to text, a whole number, a boolean or a named enum."),
                arguments(
                        RefusedConversions.AllSame.class,
                        "has a status property 'status' whose statuses OPEN and CLOSING are equal, so JPA would not write a change from one to the other. Make equals compare the stored values."),
                arguments(
                        RefusedConversions.Labelled.class,
                        "cannot have the status 'OPEN'. Its property 'status' would store that text as 'open'. Use the stored text as the name of a status."),
                arguments(
                        RefusedConversions.Labelled.class,
                        "cannot have the status 'CLOSED'. Its property 'status' has a conversion that fails for that text: java.lang.IllegalArgumentException: no such label. Use the stored text as the name of a status."),
                arguments(
                        RefusedConversions.Levelled.class,
                        "cannot have the status 'OPEN'. Its property 'status' has a conversion that fails for that text: java.lang.NumberFormatException"),
                arguments(
                        RefusedConversions.Large.class,
                        "has a status property 'status' of type String, stored as CLOB. Supported: enums, String and converted values."));
    }

    @ParameterizedTest
    @MethodSource("conversions")
    void aConversionThatIsNotOneToOneIsRefusedWithASentence(Class<?> entity, String predicate) {
        assertThat(refusals(entity, "status", STATES))
                .anySatisfy(sentence ->
                        assertThat(sentence).startsWith("Entity %s %s".formatted(entity.getName(), predicate)));
    }

    static Stream<Arguments> embeddables() {
        return Stream.of(
                arguments(
                        RefusedEmbeddables.AsJson.class,
                        "has a status property 'progress.state' inside a JSON column or another structured column. Store the status in a column of its own."),
                arguments(
                        RefusedEmbeddables.OfAnyCourse.class,
                        "has a status property 'progress.state' in an embeddable that has subclasses. Store the status outside of such an embeddable."),
                arguments(
                        RefusedEmbeddables.NotUpdated.class,
                        "has a status property 'progress.state' that is computed, transformed or not updatable. Map it to a plain column that can be updated."),
                arguments(
                        RefusedEmbeddables.NotLockedInside.class,
                        "excludes its status 'progress.state' from optimistic locking, so a change of the status would not increment the version. Remove @OptimisticLock(excluded = true)."));
    }

    @ParameterizedTest
    @MethodSource("embeddables")
    void anEmbeddableInWhichTheStatusCannotBeSetIsRefused(Class<?> entity, String predicate) {
        assertThat(refusals(entity, "progress.state", STATES))
                .containsExactly("Entity %s %s".formatted(entity.getName(), predicate));
    }

    @Test
    void anUnknownPathIsRefusedWithTheListOfProperties() {
        for (String path : List.of("progress", "progress.stat", "state", "progress.state.name", "version.state", "")) {
            assertThat(refusals(RefusedEmbeddables.NotUpdated.class, path, STATES))
                    .containsExactly(
                            "Entity %s has no basic property '%s' to hold its status. Set 'status-property' to one of progress.note, progress.state, version."
                                    .formatted(RefusedEmbeddables.NotUpdated.class.getName(), path));
        }
    }

    @Test
    void aStatusThatIsNotAConstantOfTheClassIsRefused() {
        assertThat(refusals(SupportedStatuses.Coloured.class, "status", List.of("OPEN", "green", "INITIAL")))
                .containsExactly(
                        "Entity %s cannot have the statuses [green, INITIAL]. Its property 'status' is of type Colour, which has the constants [OPEN, CLOSING, CLOSED]. Use one of these."
                                .formatted(SupportedStatuses.Coloured.class.getName()));
    }

    @Test
    void statusesAreNamedAfterTheirConstants() {
        try (EntityManagerFactory unit = unit(Map.of(), SupportedStatuses.Coloured.class)) {
            EntityTable table = tables(unit).require(SupportedStatuses.Coloured.class, "status", STATES);

            assertThat(table.statusConstants()).containsExactlyInAnyOrder("OPEN", "CLOSING", "CLOSED");
            assertThat(table.indexFor(List.of("CLOSING"))).endsWith(" WHERE status IN ('yellow')");
        }
    }

    static List<String> sentences(Class<?> entity, String property) {
        return refusals(entity, property, STATES);
    }

    private static List<String> refusals(Class<?> entity, String property, List<String> names) {
        Class<?>[] classes = Stream.concat(
                        Stream.of(entity),
                        Arrays.stream(entity.getEnclosingClass().getDeclaredClasses())
                                .filter(each -> each.isAnnotationPresent(jakarta.persistence.Embeddable.class)))
                .toArray(Class<?>[]::new);
        try (EntityManagerFactory unit = unit(Map.of(), classes)) {
            UnsupportedMappingException refused = catchThrowableOfType(
                    UnsupportedMappingException.class, () -> tables(unit).require(entity, property, names));
            assertThat(refused).as("%s was refused", entity).isNotNull();
            return refused.sentences();
        }
    }
}
