package com.example.docs.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;

import io.sagaspring.test.saga.SagaTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SagaTest(runs = Remind.class, classes = Reminders.class)
class RemindersTests {

    private static final Customer ADA = new Customer("c-1", "ada@example.org");

    @Autowired
    Reminders reminders;

    @MockitoBean
    Bank.Mailer mailer;

    @Test
    void returnsTheResultAfterThePauseOfARetry() throws Exception {
        doThrow(new IllegalStateException("busy")).doNothing().when(mailer).welcome(any(), any());

        assertThat(reminders.remind(ADA)).isEqualTo("reminded");
    }

    @Test
    void namesTheRunThatHasFailed() throws Exception {
        doThrow(new IllegalArgumentException("no address")).when(mailer).welcome(any(), any());

        assertThat(reminders.remind(ADA)).startsWith("failed: run ");
    }
}
