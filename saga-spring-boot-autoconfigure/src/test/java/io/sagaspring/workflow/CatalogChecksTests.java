package io.sagaspring.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sagaspring.definition.Fault;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Tests the rules that need beans or entities in addition to the configuration. Each rule has a configuration that no
 * other rule refuses.
 */
class CatalogChecksTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final String STEP = "saga.workflows.parcel.steps[1]";

    @AfterAll
    static void close() {
        database.close();
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        StepAction<String> aboutStrings() {
            return (text, context) -> ActionResult.success();
        }

        @Bean
        StepAction<Object> aboutAnything() {
            return (any, context) -> ActionResult.success();
        }

        @Bean
        StepActionById<String> aboutIdsOfText() {
            return (id, context) -> ActionResult.success();
        }

        @Bean
        StepActionById<Number> aboutAnyNumber() {
            return (id, context) -> ActionResult.success();
        }

        @Bean
        Torn torn() {
            return new Torn();
        }

        @Bean
        Careless careless() {
            return new Careless();
        }
    }

    /** An action that works both on the entity and on its id alone. */
    static class Torn implements StepAction<Object>, StepActionById<Object> {
        @Override
        public ActionResult run(Object any, ActionContext context) {
            return ActionResult.success();
        }
    }

    @NonIdempotent
    static class Careless implements StepAction<Object> {
        @Override
        public ActionResult run(Object any, ActionContext context) {
            return ActionResult.success();
        }
    }

    @Test
    void aMissingBeanIsRefusedAndTheExistingBeansAreNamed() {
        assertThat(onlyFault(STEP + ".action.any=scrpt"))
                .returns("bean", Fault::rule)
                .returns(STEP + ".action.any", Fault::path)
                .extracting(Fault::sentence)
                .asString()
                .contains("There is no bean 'scrpt'", "script");
    }

    @Test
    void aBeanOfAnotherTypeIsRefused() {
        assertThat(onlyFault(STEP + ".success-after-effect.any=careless").sentence())
                .contains("Bean 'careless' is of type " + Careless.class.getName(), "AfterEffect<Parcel>");
    }

    @Test
    void aBeanForIdsOfAnotherTypeIsRefused() {
        assertThat(onlyFault(STEP + ".action.any=aboutIdsOfText").sentence())
                .isEqualTo(
                        "Bean 'aboutIdsOfText' is for ids of type java.lang.String, but the ids of io.sagaspring.shop.Parcel are of type java.lang.Long.");
        assertThat(faults(STEP + ".action.any=aboutAnyNumber")).isEmpty();
    }

    @Test
    void aBeanThatWorksOnTheEntityAndOnTheIdIsRefused() {
        assertThat(onlyFault(STEP + ".action.any=torn").sentence())
                .isEqualTo(
                        "Bean 'torn' is a StepAction and also a StepActionById, so it is unclear which of them to call. Implement only one.");
    }

    @Test
    void aBeanForAnotherEntityIsRefused() {
        assertThat(onlyFault(STEP + ".action.any=aboutStrings").sentence())
                .contains("for entity java.lang.String, but the workflow is for entity io.sagaspring.shop.Parcel");
    }

    @Test
    void aBeanForAnyEntityIsAccepted() {
        assertThat(faults(STEP + ".action.any=aboutAnything")).isEmpty();
    }

    @Test
    void aNonIdempotentActionNeedsAClaimStateForEveryRequesterThatRunsIt() {
        assertThat(onlyFault("saga.workflows.parcel.steps[0].action.any=careless"))
                .returns("non-idempotent", Fault::rule)
                .extracting(Fault::sentence)
                .asString()
                .contains("[system]");
        assertThat(faults(
                        "saga.workflows.parcel.steps[0].action.any=careless",
                        "saga.workflows.parcel.steps[0].claim-state.any=SENDING,PACKED"))
                .isEmpty();
    }

    @Test
    void aMissingEntityClassIsRefused() {
        assertThat(onlyFault("saga.workflows.parcel.entity=io.sagaspring.shop.Parcle"))
                .returns("entity-class", Fault::rule)
                .extracting(Fault::sentence)
                .asString()
                .contains("There is no class io.sagaspring.shop.Parcle");
    }

    @Test
    void anEntityThatIsNotMappedIsRefused() {
        assertThat(faults("saga.workflows.parcel.entity=io.sagaspring.shop.Shop"))
                .filteredOn(fault -> fault.rule().equals("entity-mapping"))
                .extracting(Fault::sentence)
                .containsExactly(
                        "Class io.sagaspring.shop.Shop is not an entity of any persistence unit of this application, and no ClaimTable bean describes it. Declare such a bean, or map the class with JPA.");
    }

    @Test
    void aStatusThatTheEnumDoesNotHaveIsRefused() {
        assertThat(onlyFault("saga.workflows.parcel.status-types=PACKED,SENDING,SENT,LOST,STOLEN")
                        .sentence())
                .contains("cannot have the statuses [STOLEN]", "RETURNING");
    }

    @Test
    void faultsOfPropertiesBeansAndEntitiesAreReportedTogetherWithTheirOrigins() {
        List<Fault> faults = faults(
                "saga.workflows.parcel.status-property=state",
                "saga.workflows.parcel.steps[1].action.any=scrpt",
                "saga.workflows.other.module=other");

        assertThat(faults)
                .extracting(Fault::rule)
                .contains("entity-mapping", "bean")
                .hasSizeGreaterThan(3);
        assertThat(faults)
                .filteredOn(fault -> fault.rule().equals("bean"))
                .allSatisfy(
                        fault -> assertThat(fault.whereFrom()).get().asString().contains("steps[1].action.any"));
    }

    @Test
    void aFaultyWorkflowIsStillCheckedAgainstBeansAndEntities() {
        List<Fault> faults = faults(
                "saga.workflows.parcel.modul=shop",
                "saga.workflows.parcel.entity=io.sagaspring.shop.Parcle",
                STEP + ".action.any=scrpt");

        assertThat(faults)
                .extracting(fault -> fault.path() + " " + fault.rule())
                .containsExactlyInAnyOrder(
                        "saga.workflows.parcel.modul unknown-key",
                        "saga.workflows.parcel.entity entity-class",
                        STEP + ".action.any bean");
    }

    private static String[] lost(String entity, String into, String... more) {
        return Stream.concat(
                        Stream.of(
                                "saga.workflows.lost.module=shop",
                                "saga.workflows.lost.entity=" + entity,
                                "saga.workflows.lost.steps[0].step-key=find",
                                "saga.workflows.lost.steps[0].status=LOST",
                                "saga.workflows.lost.steps[0].claim-state.admin=" + into + ",LOST",
                                "saga.workflows.lost.steps[0].successful-state.admin=PACKED",
                                "saga.workflows.lost.steps[0].action.admin=script"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    @Test
    void withoutAListOfStatesTheEnumDefinesTheStates() {
        assertThat(faults(lost("io.sagaspring.shop.Parcel", "RETURNING"))).isEmpty();
        assertThat(faults(lost("io.sagaspring.shop.Parcel", "RETURNNG")))
                .singleElement()
                .returns("unknown-status", Fault::rule)
                .returns("saga.workflows.lost.steps[0]", Fault::path)
                .extracting(Fault::sentence)
                .asString()
                .contains("State 'RETURNNG' is not a constant of the status's type", "Did you mean 'RETURNING'?");
    }

    private static Fault onlyFault(String property) {
        List<Fault> faults = faults(property);
        assertThat(faults).hasSize(1);
        return faults.get(0);
    }

    private static List<Fault> faults(String... properties) {
        Throwable refusal =
                catchThrowable(() -> Shop.open(database, application -> application.sources(Beans.class), properties)
                        .close());
        return refusal == null
                ? List.of()
                : assertThat(refusal)
                        .rootCause()
                        .asInstanceOf(InstanceOfAssertFactories.type(InvalidDefinitionsException.class))
                        .actual()
                        .faults();
    }
}
