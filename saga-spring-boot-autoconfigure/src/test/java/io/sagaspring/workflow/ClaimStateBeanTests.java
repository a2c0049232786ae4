package io.sagaspring.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.definition.Fault;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;

/**
 * A claim state that is declared as a bean must obey the rules of workflows. Each rule has a bean that no other rule
 * refuses.
 */
class ClaimStateBeanTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @AfterAll
    static void close() {
        database.close();
    }

    @ClaimJanitor(module = "returns")
    static class ReturnsJanitor extends ScheduledClaimJanitor {}

    @Test
    void aBeanWithAClaimStateOfItsOwnIsAccepted() {
        try (Shop shop = open(state("returns", "RETURNING", "LOST"))) {
            assertThat(shop.bean(DeclaredClaimStates.class).of("returns")).hasSize(1);
        }
    }

    @Test
    void aBeanThatRepeatsAWorkflowsClaimStateIsAccepted() {
        try (Shop shop = open(state("shop", "SENDING", "PACKED"))) {
            assertThat(shop.bean(DeclaredClaimStates.class).of("shop")).hasSize(2);
        }
    }

    @Test
    void aBeanThatRevertsToAnotherStatusThanTheWorkflowIsRefused() {
        assertRefused(
                "Workflow 'parcel' uses SENDING with a different module or a different status to revert to.",
                state("shop", "SENDING", "LOST"));
    }

    @Test
    void aBeanThatNamesAnotherModuleThanTheWorkflowIsRefused() {
        assertRefused(
                "Workflow 'parcel' uses SENDING with a different module or a different status to revert to.",
                state("returns", "SENDING", "PACKED"));
    }

    @Test
    void aBeanWhoseClaimStateIsTheStatusOfAStepIsRefused() {
        assertRefused("Workflow 'parcel' uses PACKED as a normal status.", state("returns", "PACKED", "LOST"));
    }

    @Test
    void aBeanWhoseClaimStateIsTheResultOfAStepIsRefused() {
        assertRefused("Workflow 'parcel' uses LOST as a normal status.", state("returns", "LOST", "PACKED"));
    }

    /** Otherwise an entity could be claimed while another caller has claimed it. */
    @Test
    void aBeanThatStartsFromAWorkflowsClaimStateIsRefused() {
        assertRefused(
                "starts from SENDING, which is a claim state of workflow 'parcel'",
                state("returns", "RETURNING", "SENDING"));
    }

    @Test
    void twoBeansThatRevertTheSameClaimStateDifferentlyAreRefused() {
        assertRefused(
                "Another bean declares RETURNING with a different module or a different status to revert to.",
                state("returns", "RETURNING", "LOST"),
                state("returns", "RETURNING", "SENT"));
    }

    @Test
    void twoBeansWithTheSameClaimStateInDifferentModulesAreRefused() {
        assertRefused(
                "Another bean declares RETURNING with a different module or a different status to revert to.",
                state("returns", "RETURNING", "LOST"),
                state("shop", "RETURNING", "LOST"));
    }

    /** The entity has no third status that is free to be a claim state, so the second bean breaks another rule, too. */
    @Test
    void aBeanThatStartsFromAnotherBeansClaimStateIsRefused() {
        assertThat(faults(state("returns", "RETURNING", "LOST"), state("returns", "SENDING", "RETURNING")))
                .extracting(Fault::sentence)
                .anyMatch(
                        sentence -> sentence.contains("starts from RETURNING, which is a claim state of another bean"));
    }

    @Test
    void aBeanWhoseClassIsNotAnEntityIsRefused() {
        assertThat(faults(new ClaimState("returns", "returns", Shop.class, "status", "RETURNING", "LOST")))
                .singleElement()
                .returns("entity-mapping", Fault::rule)
                .extracting(Fault::sentence)
                .asString()
                .contains("Class io.sagaspring.shop.Shop is not an entity");
    }

    @Test
    void aClaimStateThatRevertsToItselfIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> state("returns", "LOST", "LOST"))
                .withMessageContaining("reverts to itself");
    }

    @Test
    void theWorkflowsPageListsTheRuleForClaimStateBeans() throws IOException {
        assertThat(Files.readString(Path.of("../docs/workflows-configuration.md")))
                .containsOnlyOnce("\n| `claim-state-bean` |");
    }

    private static ClaimState state(String module, String into, String revertTo) {
        return new ClaimState("returns", module, Parcel.class, "status", into, revertTo);
    }

    private static void assertRefused(String sentence, ClaimState... states) {
        assertThat(faults(states))
                .isNotEmpty()
                .allSatisfy(fault -> assertThat(fault.rule()).isEqualTo("claim-state-bean"))
                .first()
                .extracting(Fault::sentence)
                .asString()
                .contains(sentence);
    }

    private static List<Fault> faults(ClaimState... states) {
        List<Fault> found = new ArrayList<>();
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> open(states).close())
                .satisfies(refusal -> assertThat(refusal)
                        .rootCause()
                        .asInstanceOf(InstanceOfAssertFactories.type(InvalidDefinitionsException.class))
                        .satisfies(invalid -> found.addAll(invalid.faults())));
        return found;
    }

    private static Shop open(ClaimState... states) {
        return Shop.open(
                database,
                application -> application
                        .sources(ReturnsJanitor.class)
                        .initializers(context -> IntStream.range(0, states.length)
                                .forEach(number -> ((GenericApplicationContext) context)
                                        .registerBean("state" + number, ClaimState.class, () -> states[number]))));
    }
}
