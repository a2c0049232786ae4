package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.family.Family;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.janitor.Sweep;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.UnknownException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The root of a hierarchy has a workflow, and so has its subclass. Both workflows claim the same entities. */
class SharedTableTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final AtomicLong ids = new AtomicLong();
    private static final Shop shop =
            Shop.open(database, application -> application.sources(Mapped.class), properties());

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Family.class)
    @Import({RootJanitor.class, SubclassJanitor.class})
    static class Mapped {

        @Bean
        StepAction<Object> closeAnything() {
            return (entity, context) -> ActionResult.success();
        }
    }

    @ClaimJanitor(module = "root")
    static class RootJanitor extends ScheduledClaimJanitor {}

    @ClaimJanitor(module = "subclass")
    static class SubclassJanitor extends ScheduledClaimJanitor {}

    private static String[] properties() {
        return Stream.of(
                        ClosingWorkflow.of(Family.Ticket.class, "root"),
                        new ClosingWorkflow("complaint", "subclass", Family.Complaint.class, "status", "JUDGING"),
                        ClosingWorkflow.of(Family.Inquiry.class, "root"),
                        ClosingWorkflow.of(Family.Invoice.class, "root"),
                        new ClosingWorkflow("reminder", "subclass", Family.Reminder.class, "status", "JUDGING"))
                .flatMap(workflow -> workflow.settings().stream())
                .toArray(String[]::new);
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @ParameterizedTest
    @CsvSource({"ticket, complaint", "complaint, ticket", "invoice, reminder", "reminder, invoice"})
    void aClaimByOneWorkflowIsSeenByTheOtherWorkflow(String first, String second) {
        Long id = save(first.equals("ticket") || second.equals("ticket"));
        Claim claim = claim(first, id);

        assertThat(shop.workflows().run(second, id, "close", Shop.ADMIN))
                .isEqualTo(new TransitionOutcome.ClaimFailed(claim.state().into()));
        assertThat(claims()).isOne();

        shop.bean(ClaimService.class).release(claim);
        assertThat(shop.workflows().run(second, id, "close", Shop.ADMIN))
                .isInstanceOf(TransitionOutcome.Completed.class);
    }

    @ParameterizedTest
    @CsvSource({"ticket, complaint", "invoice, reminder"})
    void eachJanitorRevertsTheClaimsOfItsOwnWorkflow(String root, String subclass) {
        boolean oneTable = root.equals("ticket");
        Claim ofRoot = claim(root, save(oneTable));
        Claim ofSubclass = claim(subclass, save(oneTable));
        shop.silence(Duration.ofMinutes(6));

        assertThat(sweep("subclass").run()).isOne();
        assertThat(status(oneTable, ofRoot)).isEqualTo("CLOSING");
        assertThat(status(oneTable, ofSubclass)).isEqualTo("OPEN");

        assertThat(sweep("root").run()).isOne();
        assertThat(status(oneTable, ofRoot)).isEqualTo("OPEN");
        assertThat(claims()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ticket", "inquiry"})
    void aClaimIsRecoveredWithTheEntityClassOfItsWorkflow(String workflow) {
        Long id = ids.incrementAndGet();
        persist(new Family.Inquiry(id));
        Claim claim = claim(workflow, id);
        ClaimRecovery recovery = shop.bean(ClaimRecovery.class);
        ClaimedRow row = recovery.find(claim.entity(), claim.key()).orElseThrow();

        assertThat(recovery.tableOf(row).orElseThrow().entity())
                .isEqualTo(claim.state().entity());
        shop.bean(ClaimService.class).release(claim);
    }

    /**
     * The entity has only one claim. A claim through one status would take over the claim through the other status,
     * whose owner is still working.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void claimsThroughTwoStatusesOfOneTableAreRefused(boolean ofABean) {
        ClosingWorkflow answering =
                new ClosingWorkflow("answering", "root", Family.Inquiry.class, "answering", "CLOSING");
        ClaimState bean = new ClaimState("answering", "root", Family.Inquiry.class, "answering", "CLOSING", "OPEN");

        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> Shop.open(
                                database,
                                application -> application.sources(Mapped.class).initializers(context -> {
                                    if (ofABean) {
                                        context.getBeanFactory().registerSingleton("answering", bean);
                                    }
                                }),
                                Stream.concat(
                                                Stream.of(properties()),
                                                ofABean ? Stream.of() : answering.settings().stream())
                                        .toArray(String[]::new))
                        .close())
                .havingRootCause()
                .withMessageContainingAll(
                        "claim the same entities, but through two statuses",
                        "'answering'",
                        "An entity has one claim, so the second claim would take over the first.",
                        "one-status");
    }

    @Test
    void anEntityOfTheRootClassIsUnknownToTheWorkflowOfASubclass() {
        Long ticket = ids.incrementAndGet();
        persist(new Family.Ticket(ticket));
        Long inquiry = ids.incrementAndGet();
        persist(new Family.Inquiry(inquiry));

        for (Long id : new Long[] {ticket, inquiry}) {
            assertThatExceptionOfType(UnknownException.Entity.class)
                    .isThrownBy(() -> shop.workflows().run("complaint", id, "close", Shop.ADMIN));
            assertThatExceptionOfType(UnknownException.Entity.class)
                    .isThrownBy(() -> shop.workflows().run("complaint", id, "close", Shop.SYSTEM));
        }
        assertThat(shop.database()
                        .sql("SELECT sum(version) FROM ticket WHERE id IN (?, ?)")
                        .params(ticket, inquiry)
                        .query(Long.class)
                        .single())
                .isZero();
    }

    private static Long save(boolean oneTable) {
        Long id = ids.incrementAndGet();
        persist(oneTable ? new Family.Complaint(id) : new Family.Reminder(id));
        return id;
    }

    private static void persist(Object entity) {
        shop.inTransaction(entities -> {
            entities.persist(entity);
            return null;
        });
    }

    private static Claim claim(String workflow, Long id) {
        ClaimAttempt attempt = shop.bean(ClaimService.class)
                .tryClaim(
                        shop.bean(DeclaredClaimStates.class).all().stream()
                                .filter(state -> state.workflow().equals(workflow))
                                .findFirst()
                                .orElseThrow(),
                        id,
                        "admin");
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }

    private static Sweep sweep(String module) {
        return shop.bean(JanitorRegistry.class).sweep(module).orElseThrow();
    }

    private static String status(boolean oneTable, Claim claim) {
        return shop.database()
                .sql("SELECT status FROM %s WHERE id = ?".formatted(oneTable ? "ticket" : "invoice"))
                .param(claim.id())
                .query(String.class)
                .single();
    }

    private static int claims() {
        return shop.claims();
    }
}
