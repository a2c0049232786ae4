package io.sagaspring.entity;

import io.sagaspring.shop.Http;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.boot.WebApplicationType;

/** The contract of ids holds for each kind of table that an application without JPA describes. */
class DescribedIdTests extends DescribedShop implements IdContract {

    static Stream<DescribedKind> kinds() {
        return Stream.of(DescribedKind.values());
    }

    @BeforeAll
    static void openAnother() {
        other = open(
                application -> application.web(WebApplicationType.SERVLET).sources(Closing.class), Http.ON_ANY_PORT);
        http = new Http(other);
    }

    @AfterAll
    static void closeAnother() {
        other.close();
    }
}
