package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.living.Living;
import io.sagaspring.entity.living.Span;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.TransitionOutcome;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.hibernate.engine.spi.SelfDirtinessTracker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.DefaultResourceLoader;
import tools.jackson.databind.JsonNode;

/**
 * A status that is an object is shown under the name of its constant everywhere. A change of the status keeps the other
 * attributes of the embeddable.
 */
class StatusNameTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static volatile StepAction<Consumer<String>> acting = (living, context) -> ActionResult.success();
    private static final Shop shop = open(new DefaultResourceLoader());

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Living.class)
    @Import(LivingJanitor.class)
    static class Mapped {

        @Bean
        StepAction<Consumer<String>> close() {
            return (living, context) -> acting.run(living, context);
        }
    }

    @ClaimJanitor(module = "living")
    static class LivingJanitor extends ScheduledClaimJanitor {}

    private static Shop open(DefaultResourceLoader loader, String... more) {
        return Shop.open(
                database, application -> application.resourceLoader(loader).sources(Mapped.class), properties(more));
    }

    private static String[] properties(String... more) {
        return Stream.concat(
                        Stream.of(
                                "saga.workflows.living.module=living",
                                "saga.workflows.living.entity=" + Living.class.getName(),
                                "saga.workflows.living.status-property=span.phase",
                                "saga.workflows.living.requesters=admin,system",
                                "saga.workflows.living.steps[0].step-key=close",
                                "saga.workflows.living.steps[0].status=OPEN",
                                "saga.workflows.living.steps[0].claim-state.admin=CLOSING,OPEN",
                                "saga.workflows.living.steps[0].successful-state.any=CLOSED",
                                "saga.workflows.living.steps[0].action.any=close"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void reset() {
        shop.database().sql("TRUNCATE saga_claim, living").update();
        acting = (living, context) -> ActionResult.success();
    }

    @Test
    void aTypoOfAConstantIsFoundAtStartUp() {
        Throwable refusal = catchThrowable(
                () -> open(new DefaultResourceLoader(), "saga.workflows.living.steps[0].claim-state.admin=CLOSNG,OPEN")
                        .close());

        assertThat(refusal)
                .rootCause()
                .hasMessageContainingAll(
                        "State 'CLOSNG' is not a constant of the status's type.", "Did you mean 'CLOSING'?");
    }

    @Test
    void theLedgerAndTheOutcomesUseTheNamesOfTheConstants() {
        insert(1, "o");
        acting = (living, context) -> {
            assertThat(ledger()).containsExactly("CLOSING OPEN");
            assertThat(row(1)).isEqualTo("g  1");
            assertThat(OwnThread.call(() -> shop.workflows().run("living", 1L, "close", Shop.ADMIN))
                            .join())
                    .isEqualTo(new TransitionOutcome.ClaimFailed("CLOSING"));
            return ActionResult.success();
        };

        assertThat(shop.workflows().run("living", 1L, "close", Shop.ADMIN))
                .isEqualTo(new TransitionOutcome.Completed("CLOSED", null));
        assertThat(shop.workflows().run("living", 1L, "close", Shop.ADMIN))
                .isEqualTo(new TransitionOutcome.NotApplicable("CLOSED", List.of()));
    }

    @Test
    void theEndpointsAndTheDiagramUseTheNamesOfTheConstants() {
        insert(1, "o");
        shop.bean(ClaimService.class).tryClaim(claimState(), 1L, "admin");
        try (Shop web = Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Mapped.class),
                properties(Http.ON_ANY_PORT, "management.endpoints.web.exposure.include=*"))) {
            Http http = new Http(web);

            JsonNode workflow = http.get("/actuator/sagaworkflows")
                    .json()
                    .path("workflows")
                    .valueStream()
                    .filter(each -> each.path("name").asString().equals("living"))
                    .findFirst()
                    .orElseThrow();
            assertThat(workflow.path("statusTypes").toString()).contains("OPEN", "CLOSING", "CLOSED");
            assertThat(workflow.path("diagram").asString()).contains("OPEN", "CLOSING", "CLOSED");
            JsonNode claim =
                    http.get("/actuator/sagaclaims").json().path("claims").get(0);
            assertThat(claim.path("claimState").asString()).isEqualTo("CLOSING");
            assertThat(claim.path("revertTo").asString()).isEqualTo("OPEN");
        }
    }

    /**
     * Without the quotes, a step without a claim would act on an entity whose status only looks like the status of the
     * step.
     */
    @Test
    void anUnknownTextWithTheNameOfAConstantIsQuoted() {
        insert(1, "OPEN");
        insert(2, "other");
        acting = (living, context) -> ActionResult.failure("The action must not run.");

        assertThat(shop.workflows().run("living", 1L, "close", Shop.SYSTEM))
                .isEqualTo(new TransitionOutcome.NotApplicable("'OPEN'", List.of()));
        assertThat(shop.workflows().run("living", 1L, "close", Shop.ADMIN))
                .isEqualTo(new TransitionOutcome.NotApplicable("'OPEN'", List.of()));
        assertThat(shop.bean(ClaimService.class).tryClaim(claimState(), 1L, "admin"))
                .isEqualTo(new ClaimAttempt.Refused(new EntityRow("'OPEN'", 0)));
        assertThat(shop.workflows().run("living", 2L, "close", Shop.SYSTEM))
                .isEqualTo(new TransitionOutcome.NotApplicable("other", List.of()));
    }

    @Test
    void anEntityWithoutTheEmbeddableHasNoStatus() {
        shop.database().sql("INSERT INTO living (id, version) VALUES (1, 0)").update();

        assertThat(shop.workflows().run("living", 1L, "close", Shop.SYSTEM))
                .isEqualTo(new TransitionOutcome.NotApplicable("null", List.of()));
        assertThat(shop.workflows().run("living", 1L, "close", Shop.ADMIN))
                .isEqualTo(new TransitionOutcome.NotApplicable("null", List.of()));
    }

    @Test
    void anActionThatRemovesTheEmbeddableFailsAndItsClaimIsReleased() {
        insert(1, "o");
        acting = (living, context) -> {
            living.accept("");
            return ActionResult.success();
        };

        assertThatIllegalStateException()
                .isThrownBy(() -> shop.workflows().run("living", 1L, "close", Shop.ADMIN))
                .withMessage(
                        "The action has set 'span' to null, so the status 'span.phase' cannot be set. Keep the embedded object.");

        assertThat(row(1)).isEqualTo("o  2");
        assertThat(ledger()).isEmpty();
    }

    @Test
    void aChangeOfTheStatusKeepsTheEmbeddable() {
        insert(1, "o");
        MappedTable table = (MappedTable) shop.bean(DeclaredClaimStates.class).tableOf(claimState());
        shop.inTransaction(entities -> {
            Living living = entities.find(Living.class, 1L);
            living.accept("noted");
            new ManagedEntity(table, entities, 1L, living).setStatus("CLOSED");
            assertThat(living.memo()).as("the memo, which is not stored").isEqualTo("noted");
            return null;
        });

        assertThat(row(1)).isEqualTo("c noted 1");
    }

    @Test
    void anEnhancedEntityWithAnEnhancedEmbeddableTakesAStep() {
        insert(1, "o");
        insert(2, "o");
        acting = (living, context) -> {
            assertThat(living).isInstanceOf(SelfDirtinessTracker.class);
            if (context.requester().equals(Shop.ADMIN)) {
                living.accept("noted");
            }
            return ActionResult.success();
        };
        try (Shop enhanced = open(new DefaultResourceLoader(new Enhancing(Living.class, Span.class)))) {
            for (long id = 1; id <= 2; id++) {
                assertThat(enhanced.workflows().run("living", id, "close", id == 1 ? Shop.ADMIN : Shop.SYSTEM))
                        .isEqualTo(new TransitionOutcome.Completed("CLOSED", null));
            }
        }
        assertThat(row(1)).isEqualTo("c noted 2");
        assertThat(row(2)).isEqualTo("c  1");
    }

    private static ClaimState claimState() {
        return shop.bean(DeclaredClaimStates.class).all().stream()
                .filter(state -> state.workflow().equals("living"))
                .findFirst()
                .orElseThrow();
    }

    private static void insert(long id, String phase) {
        shop.database()
                .sql("INSERT INTO living (id, phase, note, version) VALUES (?, ?, '', 0)")
                .params(id, phase)
                .update();
    }

    private static String row(long id) {
        return shop.database()
                .sql("SELECT phase::text || ' ' || note || ' ' || version FROM living WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    private static List<String> ledger() {
        return shop.database()
                .sql("SELECT claim_state || ' ' || revert_to FROM saga_claim")
                .query(String.class)
                .list();
    }
}
