package io.sagaspring.sample.accounts;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.sample.accounts.Accounts.Account;
import io.sagaspring.sample.web.Storable;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/accounts")
class AccountController {

    private final Accounts accounts;

    AccountController(Accounts accounts) {
        this.accounts = accounts;
    }

    @PostMapping
    @Idempotent
    ResponseEntity<AccountId> open(
            @RequestAttribute(name = Idempotent.REQUEST_ID, required = false) @Nullable String requestId,
            @RequestBody @Valid Opening opening) {
        long id = accounts.open(requestId, opening.owner());
        return ResponseEntity.created(URI.create("/api/accounts/" + id)).body(new AccountId(id));
    }

    @GetMapping("/{id}")
    Account one(@PathVariable long id) {
        return accounts.one(id);
    }

    @PostMapping("/{id}/credits")
    @Idempotent
    Balance credit(
            @RequestAttribute(name = Idempotent.REQUEST_ID, required = false) @Nullable String requestId,
            @PathVariable long id,
            @RequestBody @Valid Credit credit) {
        return new Balance(accounts.credit(requestId, id, credit.amountCents()));
    }

    /**
     * Replaces an account with an empty one, which has a new id. The account is not part of the key, because the
     * request replaces the account. A request with the same key and another account is refused.
     */
    @PostMapping("/{id}/reset")
    @Idempotent(account = "#id", changesAccount = true)
    AccountId reset(
            @RequestAttribute(name = Idempotent.REQUEST_ID, required = false) @Nullable String requestId,
            @PathVariable long id) {
        return new AccountId(accounts.reset(requestId, id));
    }

    record Opening(@NotBlank @Storable String owner) {}

    record AccountId(long accountId) {}

    record Credit(@Positive long amountCents) {}

    record Balance(long balanceCents) {}
}
