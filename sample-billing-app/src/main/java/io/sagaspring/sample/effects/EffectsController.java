package io.sagaspring.sample.effects;

import io.sagaspring.sample.effects.EffectsLedger.Effect;
import io.sagaspring.sample.web.Storable;
import jakarta.validation.constraints.Positive;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class EffectsController {

    private final EffectsLedger ledger;

    EffectsController(EffectsLedger ledger) {
        this.ledger = ledger;
    }

    @GetMapping("/api/effects")
    List<Effect> all(
            @RequestParam(defaultValue = "") @Storable String ref,
            @RequestParam(defaultValue = "") @Storable String kind,
            @RequestParam(required = false) @Positive @Nullable Integer last) {
        return ledger.find(ref, kind, last);
    }
}
