package io.sagaspring.sample.statements;

import io.sagaspring.listener.DurableListener;
import io.sagaspring.sample.billing.PaymentReceived;
import java.time.ZoneOffset;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Books payments. The listener's transaction books the payment, starts the run that writes the statement, and ends the
 * delivery, all in one commit.
 */
@Component
class Bookings {

    private final JdbcClient database;
    private final Statements statements;

    Bookings(JdbcClient database, Statements statements) {
        this.database = database;
        this.statements = statements;
    }

    @DurableListener(id = "bookings", key = "#payment.customer()", transactional = true)
    void book(PaymentReceived payment) {
        database.sql("INSERT INTO booking (customer, amount_cents, at) VALUES (:customer, :amount, :at)")
                .param("customer", payment.customer())
                .param("amount", payment.amountCents())
                .param("at", payment.at().atOffset(ZoneOffset.UTC))
                .update();
        statements.writeSoon(payment.customer());
    }
}
