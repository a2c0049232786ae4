package io.sagaspring.entity;

import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract of killed processes holds for an entity of every supported mapping. */
@Tag("chaos")
class MappedKillTests extends MappedShop implements KillContract {

    @BeforeAll
    static void createTable() {
        shop.database().sql("CREATE TABLE written (token bigint)").update();
    }

    @Override
    public List<Mapping> all() {
        return List.of(Mapping.values());
    }

    @Override
    public Class<?> process() {
        return MappedProcess.class;
    }

    @Override
    public void forget() {
        shop.bean(EntityManagerFactory.class).getCache().evictAll();
    }
}
