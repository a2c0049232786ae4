package io.sagaspring.entity;

import io.sagaspring.shop.Http;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.boot.WebApplicationType;

/** The contract of ids holds for an entity of every supported mapping. */
class MappedIdTests extends MappedShop implements IdContract {

    static Stream<Mapping> kinds() {
        return Stream.of(Mapping.values());
    }

    @BeforeAll
    static void openAnother() {
        other = another(
                application -> application.web(WebApplicationType.SERVLET).sources(Closing.class), Http.ON_ANY_PORT);
        http = new Http(other);
    }

    @AfterAll
    static void closeAnother() {
        other.close();
    }
}
