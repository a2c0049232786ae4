package com.example.shop.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

@SpringBootTest
@AutoConfigureMockMvc
@FreshDatabase
class AccountControllerTests {

    @Autowired
    MockMvcTester mvc;

    @Test
    void aRepeatedRequestGetsTheFirstReplyByteForByte() {
        MvcTestResult first = credit("ada", "key-1", 500);
        MvcTestResult other = credit("ada", "key-2", 500);

        MvcTestResult again = credit("ada", "key-1", 500);

        assertThat(first).hasStatusOk().doesNotContainHeader("Idempotent-Replayed");
        assertThat(first).bodyText().isEqualTo("{\"cents\":500}");
        assertThat(other).bodyText().isEqualTo("{\"cents\":1000}");
        assertThat(again).hasStatusOk().hasHeader("Idempotent-Replayed", "true");
        assertThat(again).body().isEqualTo(first.getResponse().getContentAsByteArray());
    }

    @Test
    void aKeyThatADifferentRequestHasUsedIsRefused() {
        assertThat(credit("bob", "key-3", 500)).hasStatusOk();

        assertThat(credit("bob", "key-3", 900)).hasStatus(HttpStatus.UNPROCESSABLE_CONTENT);
    }

    @Test
    void aRequestWithoutAKeyIsRefusedAndCreditsNothing() {
        assertThat(mvc.post()
                        .uri("/accounts/eve/credits")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"cents\":500}"))
                .hasStatus(HttpStatus.BAD_REQUEST);
        assertThat(credit("eve", "key-4", 1)).bodyText().isEqualTo("{\"cents\":1}");
    }

    private MvcTestResult credit(String owner, String key, long cents) {
        return mvc.post()
                .uri("/accounts/{owner}/credits", owner)
                .header("Idempotency-Key", key)
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"cents\":%d}".formatted(cents))
                .exchange();
    }
}
