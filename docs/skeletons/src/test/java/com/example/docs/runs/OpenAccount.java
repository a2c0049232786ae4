package com.example.docs.runs;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import java.time.Duration;
import org.springframework.stereotype.Component;

@Component
class OpenAccount implements DurableRun<Customer, AccountId> {

    private final Bank.Accounts accounts;
    private final Bank.Cards cards;
    private final Bank.Mailer mailer;

    OpenAccount(Bank.Accounts accounts, Bank.Cards cards, Bank.Mailer mailer) {
        this.accounts = accounts;
        this.cards = cards;
        this.mailer = mailer;
    }

    @Override
    public AccountId run(RunContext run, Customer customer) {
        AccountId account = run.transactionalStep("open", AccountId.class, () -> accounts.open(customer));
        run.step("card", () -> cards.order(account, run.idempotencyKey()));
        run.sleep("cooling-off", Duration.ofDays(14));
        run.step("welcome", () -> mailer.welcome(customer, run.idempotencyKey()));
        return account;
    }
}
