package io.sagaspring.sample.checkout;

import io.sagaspring.sample.effects.Courier;
import io.sagaspring.sample.web.NotFoundException;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Shows the courier's token, so that you can play the courier. A real courier keeps the token secret. */
@RestController
@ConditionalOnBooleanProperty("sample.simulate")
class CourierTokenController {

    private final Courier courier;

    CourierTokenController(Courier courier) {
        this.courier = courier;
    }

    @GetMapping("/api/checkouts/{executionId}/courier")
    Given given(@PathVariable String executionId) {
        return courier.token(executionId)
                .map(Given::new)
                .orElseThrow(() -> NotFoundException.of("parcel of checkout", executionId));
    }

    record Given(String token) {}
}
