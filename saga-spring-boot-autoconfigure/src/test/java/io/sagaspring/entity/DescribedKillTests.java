package io.sagaspring.entity;

import java.util.List;
import org.junit.jupiter.api.Tag;

/** The contract of killed processes holds for each kind of table that an application without JPA describes. */
@Tag("chaos")
class DescribedKillTests extends DescribedShop implements KillContract {

    @Override
    public List<DescribedKind> all() {
        return List.of(DescribedKind.values());
    }

    @Override
    public Class<?> process() {
        return DescribedProcess.class;
    }
}
