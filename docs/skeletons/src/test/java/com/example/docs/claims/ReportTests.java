package com.example.docs.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.Sagas;
import io.sagaspring.test.database.FreshDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionOutcome.Completed;
import io.sagaspring.workflow.TransitionOutcome.Conflict;
import io.sagaspring.workflow.TransitionRefusedException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.mock.web.MockHttpServletRequest;

@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "spring.config.location=classpath:com/example/docs/claims/",
            "spring.flyway.enabled=false",
            "spring.jpa.hibernate.ddl-auto=validate",
            "spring.sql.init.schema-locations=classpath:com/example/docs/claims/schema.sql"
        })
@FreshDatabase
class ReportTests {

    @Autowired
    ReportController controller;

    @Autowired
    ReportClaims.Rendering rendering;

    @Autowired
    Sagas sagas;

    @Autowired
    JdbcClient database;

    @BeforeEach
    void aReportIsRequested() {
        database.sql("DELETE FROM report").update();
        database.sql("INSERT INTO report (id, status, version) VALUES (1, 'REQUESTED', 0)")
                .update();
    }

    @Test
    void aClaimIsAudited() {
        database.sql("DELETE FROM flip_audit").update();
        render(new Layout("A4", 0));

        assertThat(database.sql("SELECT concat_ws(' ', entity, id, kind, status, version) FROM flip_audit")
                        .query(String.class)
                        .list())
                .containsExactly("report 1 CLAIMED RENDERING 1");
    }

    @Test
    void theActionGetsTheInputOfTheCaller() {
        assertThat(render(new Layout("A4", 0))).isEqualTo(new Completed("RENDERED", null));
        assertThat(report()).isEqualTo("RENDERED A4");
    }

    @Test
    void aReportIsNotRenderedIfItHasChangedSinceTheClientReadIt() {
        database.sql("UPDATE report SET version = 1").update();

        assertThatExceptionOfType(TransitionRefusedException.class)
                .isThrownBy(() -> render(new Layout("A4", 0)))
                .satisfies(refused -> assertThat(refused.outcome()).isEqualTo(new Conflict()));
        assertThat(report()).isEqualTo("REQUESTED ");
    }

    @Test
    void aSagaRendersAReport() throws Exception {
        assertThat(sagas.await(sagas.start(ReportSaga.class, 1L).id(), Duration.ofSeconds(30))
                        .state())
                .isEqualTo(RunState.COMPLETED);
        assertThat(report()).isEqualTo("RENDERED A4");
    }

    @Test
    void aReportThatWasRenderedUnderAClaimIsNotRenderedAgain() {
        assertThat(rendering.render(1)).isTrue();
        assertThat(rendering.render(1)).isFalse();
        assertThat(report()).isEqualTo("RENDERED ");
    }

    private TransitionOutcome render(Layout layout) {
        MockHttpServletRequest editor = new MockHttpServletRequest();
        editor.addUserRole("EDITOR");
        return controller.render(1, layout, editor);
    }

    private String report() {
        return database.sql("SELECT concat(status, ' ', paper) FROM report WHERE id = 1")
                .query(String.class)
                .single();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @ComponentScan
    static class Application {

        @Bean
        ReportClaims.Renderer renderer() {
            return report -> {};
        }

        @Bean
        MailReport.Mailer mailer() {
            return (text, key) -> {};
        }
    }
}
