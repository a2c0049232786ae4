package com.example.docs.sagas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.Sagas;
import io.sagaspring.test.database.FreshDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

@SpringBootTest
@AutoConfigureMockMvc
@TestPropertySource(
        properties = {
            "spring.config.name=none",
            "spring.flyway.enabled=false",
            "spring.sql.init.mode=always",
            "spring.sql.init.schema-locations=classpath:com/example/docs/sagas/schema.sql",
            "saga.sagas.callback-keys=${random.uuid}"
        })
@FreshDatabase
class CourierCallbacksTests {

    @Autowired
    MockMvcTester mvc;

    @Autowired
    Sagas sagas;

    @Autowired
    JdbcClient database;

    @MockitoBean
    World.Courier courier;

    @Test
    void theCourierCompletesTheCheckout() throws Exception {
        given(courier.ship(any(), any(), any(), any())).willReturn("shipment-1");
        ArgumentCaptor<String> token = ArgumentCaptor.captor();

        SagaHandle checkout = sagas.start(CheckoutSaga.class, new Order("o-1", 4200, "tok_1"));

        verify(courier, timeout(30_000)).ship(any(), eq(checkout.id().toString()), token.capture(), any());
        assertThat(delivered(checkout, "guessed")).hasStatus(HttpStatus.NOT_FOUND);
        assertThat(delivered(checkout, token.getValue())).hasStatusOk();
        assertThat(sagas.await(checkout.id(), Duration.ofSeconds(30)).state()).isEqualTo(RunState.COMPLETED);
        assertThat(database.sql("SELECT count(*) FROM reservation")
                        .query(Long.class)
                        .single())
                .isOne();
    }

    private MvcTestResult delivered(SagaHandle checkout, String token) {
        return mvc.post()
                .uri("/checkouts/{id}/delivered", checkout.id())
                .header("X-Callback-Token", token)
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"signedBy\":\"ada\"}")
                .exchange();
    }

    /** An application for this test only. It does not scan for components, so it contains only the imported classes. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({CheckoutSaga.class, CourierCallbacks.class, Fulfillment.class, ReserveStock.class, WorldStandIns.class})
    static class Application {}
}
