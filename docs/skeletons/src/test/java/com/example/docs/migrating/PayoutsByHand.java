package com.example.docs.migrating;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The usual code without claims: the row does not show its owner, and a crash leaves it in {@code PROCESSING}. */
@Component
class PayoutsByHand {

    private final JdbcClient database;
    private final Bank bank;

    PayoutsByHand(JdbcClient database, Bank bank) {
        this.database = database;
        this.bank = bank;
    }

    void pay(long id, String iban, long cents) {
        int claimed = database.sql("UPDATE payout SET status = 'PROCESSING' WHERE id = ? AND status = 'NEW'")
                .param(id)
                .update();
        if (claimed == 0) {
            return;
        }
        String transfer = bank.transfer(iban, cents, "payout-" + id);
        database.sql("UPDATE payout SET status = 'PAID', transfer = ? WHERE id = ?")
                .params(transfer, id)
                .update();
    }

    @Scheduled(fixedDelay = 600_000)
    void freeWhatIsStuck() {
        database.sql(
                        "UPDATE payout SET status = 'NEW' WHERE status = 'PROCESSING' AND updated_at < now() - interval '1 hour'")
                .update();
    }
}
