package io.sagaspring.sample.statements;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
class StatementTable {

    private final JdbcClient database;

    StatementTable(JdbcClient database) {
        this.database = database;
    }

    /** Writes the sum of a customer's bookings into the customer's statement. The caller needs a transaction. */
    Statement write(String customer) {
        lock(customer);
        return database.sql("""
                UPDATE statement SET written = written + 1, at = clock_timestamp(), payments = booked.payments,
                    total_cents = booked.cents
                FROM (SELECT count(*) AS payments, coalesce(sum(amount_cents), 0) AS cents FROM booking
                      WHERE customer = :customer) AS booked
                WHERE customer = :customer RETURNING statement.*""")
                .param("customer", customer)
                .query((row, number) -> read(row))
                .single();
    }

    /** Makes other transactions that write this statement wait, so that no older sum replaces a later one. */
    private void lock(String customer) {
        database.sql("""
                INSERT INTO statement (customer, payments, total_cents, written, at)
                VALUES (:customer, 0, 0, 0, clock_timestamp())
                ON CONFLICT (customer) DO UPDATE SET written = statement.written""").param("customer", customer).update();
    }

    Optional<Statement> find(String customer) {
        return database.sql("SELECT * FROM statement WHERE customer = :customer")
                .param("customer", customer)
                .query((row, number) -> read(row))
                .optional();
    }

    private static Statement read(ResultSet row) throws SQLException {
        return new Statement(
                row.getString("customer"),
                row.getLong("payments"),
                row.getBigDecimal("total_cents").toBigIntegerExact(),
                row.getLong("written"),
                row.getObject("at", OffsetDateTime.class).toInstant());
    }
}
