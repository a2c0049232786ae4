package io.sagaspring.test.claim;

import io.sagaspring.claim.ClaimState;
import io.sagaspring.entity.ClaimTable;
import java.util.Optional;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An application without JPA that describes two tables, and declares a claim state for each table. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class DescribedShop {

    record Invoice(long id, String status, long version) {}

    record Place(String shelf, long number) {}

    record Box(Place place) {}

    enum Phase {
        FULL,
        EMPTYING
    }

    @Bean
    ClaimTable<Invoice> invoices(JdbcClient database) {
        return ClaimTable.of(Invoice.class, "invoices")
                .id(Long.class, "id")
                .loadedBy(id -> database.sql("SELECT id, status, version FROM invoices WHERE id = ?")
                        .param(id)
                        .query(Invoice.class)
                        .optional());
    }

    @Bean
    ClaimState paying() {
        return new ClaimState("invoices", "shop", Invoice.class, "status", "PAYING", "OPEN");
    }

    @Bean
    ClaimTable<Box> boxes(JdbcClient database) {
        return ClaimTable.of(Box.class, "store.boxes")
                .id(Place.class, "shelf", "number")
                .status("phase", Phase.class, Phase::ordinal)
                .version("revision")
                .loadedBy(id -> found(database, id));
    }

    private static Optional<Box> found(JdbcClient database, Place id) {
        return database.sql("SELECT 1 FROM store.boxes WHERE shelf = ? AND number = ?")
                .params(id.shelf(), id.number())
                .query((row, number) -> new Box(id))
                .optional();
    }

    @Bean
    ClaimState emptying() {
        return new ClaimState("boxes", "shop", Box.class, "phase", "EMPTYING", "FULL");
    }
}
