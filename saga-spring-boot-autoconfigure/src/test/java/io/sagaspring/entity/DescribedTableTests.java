package io.sagaspring.entity;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contracts hold for each kind of table that an application without JPA describes. */
class DescribedTableTests extends DescribedShop implements ClaimContract, FailureContract {

    static Stream<DescribedKind> kinds() {
        return Stream.of(DescribedKind.values());
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
