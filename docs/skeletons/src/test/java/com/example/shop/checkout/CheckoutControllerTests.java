package com.example.shop.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.Sagas;
import io.sagaspring.test.database.FreshDatabase;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

@SpringBootTest
@AutoConfigureMockMvc
@FreshDatabase
class CheckoutControllerTests {

    @Autowired
    MockMvcTester mvc;

    @Autowired
    Sagas sagas;

    @Autowired
    BlockingQueue<String> tokens;

    @Test
    void onlyTheCourierCanReportTheDelivery() throws Exception {
        SagaHandle checkout = sagas.start(CheckoutSaga.class, new Checkout("o-1", 4200));
        String token = Objects.requireNonNull(tokens.poll(30, TimeUnit.SECONDS));

        assertThat(delivered(checkout, "guessed")).hasStatus(HttpStatus.NOT_FOUND);
        assertThat(delivered(checkout, token))
                .hasStatusOk()
                .bodyJson()
                .extractingPath("$.applied")
                .isEqualTo(true);
        assertThat(sagas.await(checkout.id(), Duration.ofSeconds(30)).state()).isEqualTo(RunState.COMPLETED);
    }

    private MvcTestResult delivered(SagaHandle checkout, String token) {
        return mvc.post()
                .uri("/checkouts/{id}/delivered", checkout.id())
                .header("X-Callback-Token", token)
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"signedBy\":\"ada\"}")
                .exchange();
    }

    @TestConfiguration
    static class Fakes {

        @Bean
        BlockingQueue<String> tokens() {
            return new LinkedBlockingQueue<>();
        }

        @Bean
        @Primary
        Courier courier(BlockingQueue<String> tokens) {
            return (checkout, token, key) -> {
                tokens.add(token);
                return "parcel-1";
            };
        }
    }
}
