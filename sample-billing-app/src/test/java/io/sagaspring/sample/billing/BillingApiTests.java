package io.sagaspring.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.FreshDatabase;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

@SpringBootTest
@AutoConfigureRestTestClient
@FreshDatabase
class BillingApiTests {

    @Autowired
    RestTestClient client;

    @Test
    void aBillingIsOpenedInDraftWithItsInvoicesSent() {
        URI location = client.post()
                .uri("/api/billings")
                .contentType(MediaType.APPLICATION_JSON)
                .body("""
                        {"period":"2026-11","invoices":[
                            {"number":"INV-1","amountCents":1200,"customer":"ada@example.org"},
                            {"number":"INV-2","amountCents":900,"customer":"bob@example.org"}]}""")
                .exchange()
                .expectStatus()
                .isCreated()
                .expectBody()
                .jsonPath("$.status")
                .isEqualTo("DRAFT")
                .jsonPath("$.invoices[0].status")
                .isEqualTo("SENT")
                .jsonPath("$.invoices[1].number")
                .isEqualTo("INV-2")
                .returnResult()
                .getResponseHeaders()
                .getLocation();

        assertThat(location).isNotNull();
        client.get()
                .uri(location.toString())
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.period")
                .isEqualTo("2026-11")
                .jsonPath("$.invoices[0].deleted")
                .isEqualTo(false);
        client.get()
                .uri("/api/invoices?number=INV-2")
                .exchange()
                .expectBody()
                .jsonPath("$[0].amountCents")
                .isEqualTo(900)
                .jsonPath("$[0].billingId")
                .isNumber();
        client.get()
                .uri("/api/billings?page=0&size=200")
                .exchange()
                .expectBody()
                .jsonPath("$.content[0].period")
                .isEqualTo("2026-11")
                .jsonPath("$.size")
                .isEqualTo(200)
                .jsonPath("$.total")
                .isNumber();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/billings/4711", "/api/invoices/4711"})
    void whatDoesNotExistIsNotFoundAndSaysSo(String path) {
        client.get()
                .uri(path)
                .exchange()
                .expectStatus()
                .isNotFound()
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody()
                .jsonPath("$.detail")
                .isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{}",
                "{\"period\":\"2026-13\",\"invoices\":[]}",
                "{\"period\":\"2026-11\"}",
                "{\"period\":\"2026-11\",\"invoices\":[null]}",
                "{\"period\":\"2026-11\",\"invoices\":[{\"number\":\"A\",\"amountCents\":0,\"customer\":\"a@b.org\"}]}",
                "{\"period\":\"2026-11\",\"invoices\":[{\"number\":\" \",\"amountCents\":1,\"customer\":\"a@b.org\"}]}"
            })
    void aMalformedBillingIsRefused(String body) {
        client.post()
                .uri("/api/billings")
                .contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .exchange()
                .expectStatus()
                .isBadRequest()
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/api/billings?page=-1", "/api/billings?size=0", "/api/billings?size=201", "/api/billings/abc"})
    void aMalformedAddressIsRefused(String path) {
        client.get().uri(path).exchange().expectStatus().isBadRequest();
    }
}
