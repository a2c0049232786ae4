package io.sagaspring.entity;

import io.sagaspring.shop.Scale;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contracts hold for each kind of described table if the action and the after-effect get only the id. */
@ClaimedShop.ById
class DescribedByIdTests extends DescribedShop implements ClaimContract, FailureContract {

    static Stream<DescribedKind> kinds() {
        return Scale.some(List.of(DescribedKind.values()));
    }

    @BeforeAll
    static void openAnother() {
        other = open(application -> {});
    }

    @AfterAll
    static void closeAnother() {
        other.close();
    }
}
