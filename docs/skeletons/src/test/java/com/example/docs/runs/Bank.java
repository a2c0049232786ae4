package com.example.docs.runs;

import java.util.Optional;

/** The services that the runs of the page call. */
interface Bank {

    interface Accounts {
        AccountId open(Customer customer);
    }

    interface Cards {
        void order(AccountId account, String idempotencyKey);
    }

    interface Mailer {
        void welcome(Customer customer, String idempotencyKey);
    }

    interface Transfers {
        String send(AccountId account, String idempotencyKey);

        Optional<String> find(String idempotencyKey);
    }
}
