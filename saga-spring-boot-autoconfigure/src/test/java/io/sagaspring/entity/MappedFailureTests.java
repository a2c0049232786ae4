package io.sagaspring.entity;

import io.sagaspring.shop.Scale;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract of failures holds for an entity of every supported mapping. */
class MappedFailureTests extends MappedShop implements FailureContract {

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
