package io.sagaspring.sample.accounts;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.sample.web.NotFoundException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.ErrorResponseException;

/**
 * Stores accounts without JPA, to show that idempotency keys do not need JPA. Each change is one statement, so
 * concurrent changes are not lost. The change is committed together with the request's key. If the application is
 * killed between this commit and the one that stores the HTTP response, a repeated request does not credit the account
 * twice.
 */
@Service
class Accounts {

    private final JdbcClient database;

    Accounts(JdbcClient database) {
        this.database = database;
    }

    record Account(long accountId, String owner, long balanceCents) {}

    @Transactional
    @Idempotent(requestId = "#requestId", operation = "'open account'", sameTransaction = true)
    long open(@Nullable String requestId, String owner) {
        return database.sql("INSERT INTO account (owner, balance_cents) VALUES (:owner, 0) RETURNING id")
                .param("owner", owner)
                .query(Long.class)
                .single();
    }

    Account one(long id) {
        return database.sql("SELECT id, owner, balance_cents FROM account WHERE id = :id")
                .param("id", id)
                .query((row, number) ->
                        new Account(row.getLong("id"), row.getString("owner"), row.getLong("balance_cents")))
                .optional()
                .orElseThrow(() -> NotFoundException.of("account", id));
    }

    @Transactional
    @Idempotent(requestId = "#requestId", operation = "'credit account'", sameTransaction = true)
    long credit(@Nullable String requestId, long id, long amountCents) {
        return database.sql("""
                UPDATE account SET balance_cents = balance_cents + :amount
                WHERE id = :id AND balance_cents <= :most RETURNING balance_cents""")
                .param("id", id)
                .param("amount", amountCents)
                .param("most", Long.MAX_VALUE - amountCents)
                .query(Long.class)
                .optional()
                .orElseThrow(() -> tooMuchFor(one(id)));
    }

    /** Deletes the account and opens an empty one for its owner. */
    @Transactional
    @Idempotent(requestId = "#requestId", operation = "'reset account'", sameTransaction = true)
    long reset(@Nullable String requestId, long id) {
        return database.sql("""
                WITH closed AS (DELETE FROM account WHERE id = :id RETURNING owner)
                INSERT INTO account (owner, balance_cents) SELECT owner, 0 FROM closed RETURNING id""")
                .param("id", id)
                .query(Long.class)
                .optional()
                .orElseThrow(() -> NotFoundException.of("account", id));
    }

    private static ErrorResponseException tooMuchFor(Account account) {
        HttpStatus status = HttpStatus.UNPROCESSABLE_CONTENT;
        String detail = "The balance of account %d would become too large.".formatted(account.accountId());
        return new ErrorResponseException(status, ProblemDetail.forStatusAndDetail(status, detail), null);
    }
}
