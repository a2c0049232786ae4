package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.run.RunEvent;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Links to the dashboard's pages. */
@ExtendWith(OutputCaptureExtension.class)
class DashboardLinksTests {

    private static final RunId RUN = RunId.of("019abf3c-0000-7000-8000-000000000000");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://billing.example.com/saga",
                "https://billing.example.com/saga/",
                "http://localhost:8080",
                "https://[::1]:8443/a/b"
            })
    void aLinkBeginsWithTheAddress(String url) {
        DashboardLinks links = DashboardLinks.to(url);
        String base = url.endsWith("/") ? url : url + "/";

        assertThat(links.pageOf(RUN)).isEqualTo(base + "?view=run&id=" + RUN);
        assertThat(links.listOf(RunState.IN_DOUBT)).isEqualTo(base + "?view=runs&state=in_doubt");
    }

    @Test
    void withoutAnAddressThereIsNoLink() {
        assertThat(DashboardLinks.to(null).pageOf(RUN)).isNull();
        assertThat(DashboardLinks.to(" ").listOf(RunState.FAILED)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/saga",
                "billing.example.com/saga",
                "ftp://billing.example.com",
                "javascript:alert(1)",
                "https://user:pw@billing.example.com/saga",
                "https://billing.example.com/saga?view=runs",
                "https://billing.example.com/saga#top",
                "https:///saga",
                "https://billing example.com"
            })
    void otherAddressesAreRefused(String url) {
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> DashboardLinks.to(url))
                .satisfies(fault -> {
                    assertThat(fault.getName()).isEqualTo("saga.dashboard.url");
                    assertThat(fault.getValue()).isEqualTo(url);
                });
    }

    @Test
    void aTroubledRunIsLoggedWithItsPage(CapturedOutput output) {
        LinkedTroubles troubles = new LinkedTroubles(DashboardLinks.to("https://x/saga"));

        troubles.happened("wire", RUN, RunEvent.IN_DOUBT);
        troubles.happened("mail", RUN, RunEvent.COMPLETED);
        new LinkedTroubles(DashboardLinks.to(null)).happened("lost", RUN, RunEvent.FAILED);

        assertThat(output)
                .contains("Run %s of 'wire' is in doubt. Open https://x/saga/?view=run&id=%s".formatted(RUN, RUN))
                .doesNotContain("mail", "lost");
    }
}
