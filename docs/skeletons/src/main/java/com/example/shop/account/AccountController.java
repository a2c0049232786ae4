package com.example.shop.account;

import io.sagaspring.idempotency.Idempotent;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/accounts")
class AccountController {

    private final Accounts accounts;

    AccountController(Accounts accounts) {
        this.accounts = accounts;
    }

    @PostMapping("/{owner}/credits")
    @Idempotent(required = true)
    Balance credit(
            @RequestAttribute(Idempotent.REQUEST_ID) String requestId,
            @PathVariable String owner,
            @RequestBody Credit credit) {
        return new Balance(accounts.credit(requestId, owner, credit.cents()));
    }

    record Credit(long cents) {}

    record Balance(long cents) {}
}
