package io.sagaspring.sample.statements;

import io.sagaspring.sample.web.NotFoundException;
import io.sagaspring.sample.web.Storable;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/statements")
class StatementController {

    private final Statements statements;

    StatementController(Statements statements) {
        this.statements = statements;
    }

    record Request(@NotBlank @Email @Storable String customer) {}

    @PostMapping
    Statement write(@RequestBody @Valid Request request) throws InterruptedException {
        return statements.writeNow(request.customer());
    }

    @GetMapping
    Statement of(@RequestParam String customer) {
        return statements.find(customer).orElseThrow(() -> NotFoundException.of("statement", customer));
    }
}
