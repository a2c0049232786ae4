package io.sagaspring.entity;

import io.sagaspring.shop.Scale;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contracts hold for every supported mapping if the action and the after-effect get only the id. */
@ClaimedShop.ById
class MappedByIdTests extends MappedShop implements ClaimContract, FailureContract {

    static Stream<Mapping> kinds() {
        return Scale.some(List.of(Mapping.values()));
    }

    @BeforeAll
    static void openAnother() {
        other = another(application -> {});
        shop.database().sql("CREATE TABLE written (token bigint)").update();
    }

    @AfterAll
    static void closeAnother() {
        other.close();
    }
}
