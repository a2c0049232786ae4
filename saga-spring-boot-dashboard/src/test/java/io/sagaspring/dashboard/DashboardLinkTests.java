package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.Sagas;
import io.sagaspring.test.database.TestDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Links from the log to the page of a run. */
@ExtendWith(OutputCaptureExtension.class)
class DashboardLinkTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    @Test
    void theLogOfAFailedSagaLeadsToItsPage(CapturedOutput output) {
        try (DashboardApp app =
                DashboardApp.withoutSecurity(database, "saga.dashboard.url=https://billing.example.com/saga/")) {
            RunId id = app.bean(Sagas.class)
                    .start(DashboardApp.Trip.class, "lisbon")
                    .id();
            app.awaitState(id, RunState.FAILED);

            // The listeners are notified after the commit.
            String link = "Open https://billing.example.com/saga/?view=run&id=" + id;
            Awaitility.await().until(() -> output.getOut().contains(link));
            assertThat(app.get("/saga/?view=run&id=" + id).statusCode()).isEqualTo(200);
            app.read("/saga/api/run?id=" + id);
        }
    }

    @Test
    void aRelativeAddressIsRefusedAtStartUp() {
        assertThatException()
                .isThrownBy(() -> DashboardApp.withoutSecurity(database, "saga.dashboard.url=/saga")
                        .close())
                .havingRootCause()
                .isInstanceOf(InvalidConfigurationPropertyValueException.class);
    }
}
